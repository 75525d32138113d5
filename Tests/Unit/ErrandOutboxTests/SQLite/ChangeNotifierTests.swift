import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite struct ChangeNotifierTests {
  private let folder = StoreTestFolder()
  private let heard: AsyncStream<String>
  private let hear: AsyncStream<String>.Continuation

  init() throws {
    (heard, hear) = AsyncStream.makeStream(of: String.self)
    try folder.make()
  }

  private func notifier(_ owner: String) -> PipeChangeNotifier {
    PipeChangeNotifier(folder: folder.url.path, owner: owner)
  }

  @Test func `ringing reaches all other listeners, but not the notifier that rings`() async {
    let (one, two, three) = (notifier("1"), notifier("2"), notifier("3"))
    one.listen { hear.yield("1") }
    two.listen { hear.yield("2") }
    three.ring()
    var iterator = heard.makeAsyncIterator()
    #expect(await Set([iterator.next(), iterator.next()]) == ["1", "2"])
    two.ring()
    #expect(await iterator.next() == "1")
    one.ring()
    #expect(await iterator.next() == "2")
  }

  @Test func `a closed notifier receives nothing and leaves nothing behind`() async throws {
    let (one, two) = (notifier("1"), notifier("2"))
    one.listen { hear.yield("1") }
    two.listen { hear.yield("2") }
    one.close()
    one.listen { hear.yield("1") }
    notifier("3").ring()
    var iterator = heard.makeAsyncIterator()
    #expect(await iterator.next() == "2")
    two.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  #if os(Linux)
    /// An app is suspended as soon as its store is closed.
    @Test func `a closed notifier has released its pipe`() throws {
      for number in 0..<200 {
        let one = notifier("\(number)")
        one.listen { hear.yield("") }
        #expect(try open("\(number).bell") == 1)
        one.close()
        #expect(try open("\(number).bell") == 0)
      }
    }

    /// Returns the number of descriptors that this process has of a file, which may be deleted.
    private func open(_ name: String) throws -> Int {
      let path = folder.url.appending(path: name).path
      return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        return target?.hasPrefix(path) == true
      }
    }
  #endif

  @Test(.computesLong) func `a ring does not block if listeners read more slowly`() async {
    let one = notifier("1")
    // The pipe is never read, and is full at 64 KiB.
    #expect(mkfifo(folder.url.appending(path: "2.bell").path, 0o600) == 0)
    let pipe = NamedPipe(folder.url.appending(path: "2.bell").path)
    for _ in 0..<70_000 { one.ring() }
    withExtendedLifetime(pipe) {}
  }

  @Test func `the next registry removes the pipe of an owner that no longer exists`() throws {
    #expect(mkfifo(folder.url.appending(path: "\(UUID().uuidString).bell").path, 0o600) == 0)
    let registry = try FileLivenessRegistry(folder: folder.url.path)
    registry.tidy(keeping: [])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(Set(names) == [registry.name + ".lock", registry.name + ".sending"])
    registry.leave()
  }
}
