import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct FileSinkTests {
  /// A cancelled transport may still write, while another download already has the file.
  @Test func `a file accepts no more bytes once its download has ended`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    let sink = FileSink(file: try FileDescriptor(writing: path), offset: 0)
    _ = try sink.write(Data("whole".utf8))
    #expect(try await sink.finish() == 5)
    #expect(throws: FileError.self) { try sink.write(Data("late".utf8)) }
    #expect(try await sink.finish() == 5)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("whole".utf8))
  }
}
