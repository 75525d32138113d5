import Dispatch
import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandObservability

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Many concurrent calls, and listeners that behave badly.
@Suite(.timeLimit(.minutes(2))) struct EventFloodTests {
  /// Checks for each call that its events come in order, from its start to its single end.
  private final class Order: EventListener {
    private struct State {
      var last: [UInt64: Int] = [:]
      var ended = 0
      var problems: [String] = []
    }

    private let state = Locked(State())
    var ended: Int { state.withLock { $0.ended } }
    var problems: [String] { state.withLock { $0.problems } }

    func record(_ event: CallEvent) {
      let step =
        switch event.kind {
        case .started: 1
        case .attemptStarted: 2
        case .responded: 3
        case .validated: 4
        case .finished: 5
        default: 0
        }
      state.withLock { state in
        guard step > 0 else { return }
        if state.last[event.call, default: 0] != step - 1 { state.problems.append("#\(event.call) \(event)") }
        state.last[event.call] = step
        if event.isEnd { state.ended += 1 }
      }
    }
  }

  @Test func `the events of thousands of concurrent calls are delivered in order, and recorded completely`()
    async throws
  {
    let folder = try TemporaryFolder()
    let order = Order()
    let har = folder.file("calls.har")
    let recorder = try HARRecorder(file: har, bodyLimit: 100)
    let trace = try ChromeTrace(file: folder.file("calls.json"))
    let stage = Stage.configured {
      $0.listeners = [order, recorder, trace]
      $0.collectsMetrics = true
      $0.limits = ConcurrencyLimits(total: 50, perOrigin: 50)
    }.responding { _ in .response(body: "hello") }
    try await withThrowingTaskGroup { group in
      for number in 0..<2000 {
        group.addTask { try await stage.client.send(.get("http://a.test/\(number)")) }
      }
      try await group.waitForAll()
    }
    #expect(order.problems.isEmpty, "\(order.problems.prefix(3))")
    #expect(order.ended == 2000)
    #expect(stage.client.metrics?.outcomes == [.finished: 2000])
    #expect(stage.client.metrics?.inFlight == 0)
    let entries = HARSchema.entries(of: try Data(contentsOf: har))
    let paths = Set(entries.compactMap { ($0["request"] as? [String: Any])?["url"] as? String })
    #expect(paths.count == 2000)
  }

  @Test func `a listener may start calls of the same client`() async throws {
    let client = Locked<Client?>(nil)
    let calls = Locked<[Call]>([])
    let starting = EventRecorder { event in
      guard case .finished = event.kind, let client = client.withLock({ $0 }) else { return }
      let number = calls.withLock { $0.count }
      guard number < 50 else { return }
      let call = client.start(.get("http://a.test/\(number)"))
      calls.withLock { $0.append(call) }
    }
    let stage = Stage.configured { $0.listeners = [starting] }.responding { _ in .response() }
    client.withLock { $0 = stage.client }
    defer { client.withLock { $0 = nil } }
    try await stage.client.send(.get("http://a.test/"))
    while calls.withLock({ $0.count }) < 50 { await Task.yield() }
    for call in calls.withLock({ $0 }) { _ = try await call.value }
    #expect(starting.problems.isEmpty)
    #expect(stage.stub.requests.count == 51)
  }

  @Test func `a slow listener delays its own call, and no other`() async throws {
    let gate = DispatchSemaphore(value: 0)
    defer { gate.signal() }
    let recorder = EventRecorder { event in
      guard event.request.url.hasSuffix("/slow"), case .started = event.kind else { return }
      gate.wait()
    }
    let stage = Stage.configured { $0.listeners = [recorder] }.responding { _ in .response() }
    let client = stage.client
    async let slow = OwnThread.run { client.start(.get("http://a.test/slow")) }
    while recorder.records.isEmpty { await Task.yield() }
    for number in 0..<20 { try await client.send(.get("http://a.test/\(number)")) }
    #expect(recorder.records.filter { $0.event.request.url.hasSuffix("/slow") }.count == 1)
    gate.signal()
    _ = try await slow.value
    #expect(recorder.records.filter { $0.event.isEnd }.count == 21)
    #expect(recorder.problems.isEmpty)
  }

  @Test func `a listener that shuts the client down still receives the end of its call`() async throws {
    let client = Locked<Client?>(nil)
    let shutting = EventRecorder { event in
      guard case .attemptStarted = event.kind, let client = client.withLock({ $0 }) else { return }
      Task { await client.shutdown(within: .zero) }
    }
    let stage = Stage.configured { $0.listeners = [shutting] }.responding { _ in .stall }
    client.withLock { $0 = stage.client }
    defer { client.withLock { $0 = nil } }
    await #expect(throws: RequestError.self) { try await stage.client.send(.get("http://a.test/")) }
    #expect(shutting.records.last?.event.isEnd == true)
    #expect(shutting.problems.isEmpty)
  }
}
