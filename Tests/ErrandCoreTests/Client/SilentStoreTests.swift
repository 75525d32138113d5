import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store of kept answers that does not come back.
@Suite(.timeLimit(.minutes(1))) struct SilentStoreTests {
  /// What it is asked for first it never answers, whatever becomes of who asks.
  private final class SilentStore: AnswerStore {
    private let memory = MemoryAnswerStore(limit: 1 << 20)
    private let silent: String
    private let gate = Settlement<Void>()
    let asked = StubGate()
    /// What the client said of it.
    let told = Locked<[String]>([])

    init(silent: String) { self.silent = silent }

    func end() { gate.settle(.success(())) }

    private func pass(_ name: String) async {
      guard name == silent else { return }
      asked.open()
      _ = await gate.settled()
    }

    func salt() async throws -> Data {
      await pass("salt")
      return await memory.salt()
    }
    func read(_ key: AnswerKey) async throws -> KeptAnswer? {
      await pass("read")
      return await memory.read(key)
    }
    func write(_ answer: KeptAnswer, under key: AnswerKey) async throws {
      await pass("write")
      await memory.write(answer, under: key)
    }
    func remove(_ key: AnswerKey) async throws {
      await pass("remove")
      await memory.remove(key)
    }
    func list() async throws -> [KeptEntry] { await memory.list() }
    func clear() async throws { await memory.clear() }
  }

  private func stage(_ store: SilentStore) -> Stage {
    Stage(
      configured: {
        $0.answers = store
        $0.onAnswerStoreFailure = { error in store.told.withLock { $0.append("\(error)") } }
      }, { .answer(fields: $0.path == "/secret" ? ["Cache-Control": "no-store"] : [:], body: "network") })
  }

  private func request(_ path: String = "/feed") -> Request {
    .get("http://a.test\(path)").bearer("token").kept(as: "feed")
  }

  @Test(arguments: [("salt", "/feed"), ("read", "/feed"), ("write", "/feed"), ("remove", "/secret")])
  func `a request goes on without it after a while, and tells of it`(silent: String, path: String)
    async throws
  {
    let store = SilentStore(silent: silent)
    let stage = stage(store)
    let call = stage.client.start(request(path))
    try await store.asked.pass()
    // Its salt is asked for twice: to read and to write.
    for _ in 0..<(silent == "salt" ? 2 : 1) {
      await stage.reachSleep(of: Pipeline.storePatience)
      stage.clock.advance(by: Pipeline.storePatience)
    }
    #expect(try await call.value.text == "network")
    #expect(store.told.withLock { $0 }.first == "the store of kept answers was silent for 5 s")
    await stage.expectNothingLeft()
    #expect(stage.clock.sleepers == 0)
    store.end()
  }

  @Test(arguments: ["salt", "read", "write"])
  func `a call that is cancelled or out of time does not wait for it`(silent: String) async throws {
    for isDeadline in [true, false] {
      let store = SilentStore(silent: silent)
      let stage = stage(store)
      let call = stage.client.start(isDeadline ? request().deadline(.seconds(1)) : request())
      try await store.asked.pass()
      if isDeadline {
        await stage.reachSleep(of: .seconds(1))
        stage.clock.advance(by: .seconds(1))
      } else {
        call.cancel()
      }
      #expect(await call.result.requestError?.code == (isDeadline ? .deadlineExceeded : .cancelled))
      #expect(store.told.withLock { $0 } == [])
      await stage.expectNothingLeft()
      store.end()
    }
  }

  @Test func `what is done by hand does not wait for it for ever`() async throws {
    let store = SilentStore(silent: "remove")
    let stage = stage(store)
    let removal = Task { try await stage.client.removeKeptAnswer(to: request()) }
    try await store.asked.pass()
    await stage.reachSleep(of: Pipeline.storePatience)
    stage.clock.advance(by: Pipeline.storePatience)
    await #expect(throws: RequestError.self) { try await removal.value }
    store.end()
    let reading = SilentStore(silent: "read")
    let other = self.stage(reading)
    let task = Task { try await other.client.keptAnswer(to: request()) }
    try await reading.asked.pass()
    task.cancel()
    #expect(try await task.value == nil)
    reading.end()
  }
}
