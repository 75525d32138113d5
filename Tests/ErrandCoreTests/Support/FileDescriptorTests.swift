import ErrandCore
import Foundation
import Programs
import Testing

@Suite struct FileDescriptorTests {
  /// As a program has that is just being started by another thread.
  @Test func `a lock ends with its file, although somebody has a copy of that`() throws {
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
  func `a program that is started inherits neither what is read nor what is written`() throws {
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
