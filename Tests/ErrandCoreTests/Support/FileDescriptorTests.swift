import ErrandCore
import Foundation
import Programs
import Testing

@Suite struct FileDescriptorTests {
  /// A program that another thread is just starting has such a copy.
  @Test func `a lock ends with its file, although a copy of the descriptor exists`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { FileDescriptor.remove(path) }
    var file: FileDescriptor? = try FileDescriptor(writing: path)
    #expect(try #require(file).claim())
    let copy = dup(try #require(file).raw)
    defer { close(copy) }
    #expect(try FileDescriptor(reading: path).claim() == false)
    file = nil
    #expect(try FileDescriptor(reading: path).claim())
  }

  @Test(.enabled(if: Program.canSeeInheritance))
  func `a started program inherits neither files that are read nor files that are written`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { FileDescriptor.remove(path) }
    let files = [try FileDescriptor(writing: path), try FileDescriptor(reading: path)]
    try withExtendedLifetime(files) {
      let inherited = try Program.inheritedFiles()
      #expect(inherited.contains("/dev/null"))
      #expect(!inherited.contains(path))
    }
  }
}
