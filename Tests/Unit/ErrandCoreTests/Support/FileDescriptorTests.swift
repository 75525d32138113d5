import ErrandCore
import Foundation
import Programs
import TestSupport
import Testing

@Suite struct FileDescriptorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A program that another thread is starting has such a copy for a moment.
  @Test func `closing a file releases its lock, even if a copy of the descriptor exists`() throws {
    let path = folder.path("file")
    var file: FileDescriptor? = try FileDescriptor(writing: path)
    #expect(try #require(file).claim())
    let copy = dup(try #require(file).raw)
    defer { close(copy) }
    #expect(try FileDescriptor(reading: path).claim() == false)
    file = nil
    #expect(try FileDescriptor(reading: path).claim())
  }

  @Test(.enabled(if: Program.canSeeInheritance))
  func `a started program inherits neither files that are open for reading nor for writing`() throws {
    let path = folder.path("file")
    let files = [try FileDescriptor(writing: path), try FileDescriptor(reading: path)]
    try withExtendedLifetime(files) {
      let inherited = try Program.inheritedFiles()
      #expect(inherited.contains("/dev/null"))
      #expect(!inherited.contains(path))
    }
  }
}
