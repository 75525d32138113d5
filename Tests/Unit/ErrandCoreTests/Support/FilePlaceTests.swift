import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct FilePlaceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func place(_ name: String) throws -> FilePlace { try FilePlace(folder.path(name)) }

  @Test func `a path is resolved through all its links`() throws {
    try folder.write("x", to: "file")
    for (name, target) in [
      ("link", "file"), ("again", "link"), ("absolute", folder.path("again")), ("lost", "none"),
    ] {
      #expect(symlink(target, folder.path(name)) == 0)
    }
    #expect(try place("file") == .regular(path: folder.path("file")))
    #expect(try place("none") == .regular(path: folder.path("none")))
    for name in ["link", "again", "absolute"] {
      #expect(try place(name) == .regular(path: folder.path("file")))
    }
    #expect(try place("lost") == .regular(path: folder.path("none")))
    #expect(try FilePlace(folder.url.path) == .folder(path: folder.url.path))
  }

  @Test func `pipes, devices and descriptors are recognized`() throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    #expect(symlink("pipe", folder.path("link")) == 0)
    #expect(symlink("/dev/fd/7", folder.path("seven")) == 0)
    #expect(try place("link") == .special(path: folder.path("pipe")))
    #expect(try FilePlace("/dev/null") == .special(path: "/dev/null"))
    #expect(try FilePlace("/dev/stdout") == .descriptor(1))
    #expect(try place("seven") == .descriptor(7))
    #expect(try FilePlace("/proc/self/fd/12") == .descriptor(12))
    #expect(try FilePlace("/dev/fd/x") == .regular(path: "/dev/fd/x"))
  }

  @Test func `an endless chain of links is an error`() throws {
    #expect(symlink("b", folder.path("a")) == 0)
    #expect(symlink("a", folder.path("b")) == 0)
    #expect(throws: FileError.self) { try place("a") }
  }

  @Test func `a file and a pipe are read to their end, up to a limit`() async throws {
    try folder.write("0123456789", to: "file")
    #expect(try FileDescriptor.contents(of: folder.path("file"), limit: 10) == Data("0123456789".utf8))
    #expect(throws: FileError.self) { try FileDescriptor.contents(of: folder.path("file"), limit: 9) }
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    for limit in [300_000, 299_999] {
      let path = folder.path("pipe")
      // The writer starts later, pauses, and may still be writing when the reader stops.
      let writer = SystemThread.start {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let raw = open(path, O_WRONLY)
        for _ in 0..<3 {
          usleep(10_000)
          _ = Data(repeating: 7, count: 100_000).withUnsafeBytes { write(raw, $0.baseAddress, $0.count) }
        }
        close(raw)
      }
      #expect(writer)
      let contents = await Task.detached {
        Result { try FileDescriptor.contents(of: path, limit: limit) }
      }.value
      if limit == 300_000 {
        #expect(try contents.get() == Data(repeating: 7, count: 300_000))
      } else {
        #expect(throws: FileError.self) { try contents.get() }
      }
    }
  }

  @Test func `cancelling a task ends its wait for a pipe`() async throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    let path = folder.path("pipe")
    let task = Task.detached { try FileDescriptor.contents(of: path, limit: 10) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a duplicate of a descriptor does not release the lock`() throws {
    let raw = open(folder.path("file"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(raw) }
    #expect(flock(raw, LOCK_EX | LOCK_NB) == 0)
    _ = try FileDescriptor(duplicating: raw, "it")
    #expect(try FileDescriptor(writing: folder.path("file")).lockIfFree() == false)
  }
}
