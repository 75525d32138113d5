import ErrandTesting
import Synchronization
import Testing

@testable import ErrandCore

/// Many concurrent calls whose two attempts, failures and cancellations race on real threads.
@Suite(.timeLimit(.minutes(2))) struct HedgingStressTests {
  private static let workers = 16
  private static let calls = 150

  @Test(arguments: [UInt64](1...3))
  func `every call has one outcome, and nothing remains`(seed: UInt64) async throws {
    let (responded, failed, left, hedged) = (Tally(), Tally(), Tally(), Tally())
    let random = Locked(SeededRandom(seed: seed))
    let recorder = EventRecorder { event in
      if case .hedged = event.kind { hedged.add() }
    }
    var configuration = ClientConfiguration()
    configuration.hedging = .after(.nanoseconds(1))
    configuration.retry.backoff = .zero
    configuration.limits = .unlimited
    configuration.retryBudget = RetryBudget(ratio: 1, minimumPerSecond: 1000)
    if seed == 2 { configuration.listeners = [recorder] }
    if seed == 3 { configuration.attemptInterceptors = [Passing()] }
    let stub = StubTransport { _ in
      let (yields, outcome) = random.withLock { random in
        (Int.random(in: 0..<12, using: &random), Int.random(in: 0..<8, using: &random))
      }
      for _ in 0..<yields { await Task.yield() }
      if outcome == 0 { return .response(status: 503) }
      return outcome == 1 ? .fail(.connectionLost) : .response(body: "ok")
    }
    let client = Client(transport: stub, configuration: configuration)
    try await withThrowingTaskGroup { group in
      for worker in 0..<Self.workers {
        group.addTask {
          var random = SeededRandom(seed: seed &* 1000 &+ UInt64(worker))
          for _ in 0..<Self.calls {
            let patience = Int.random(in: 0..<40, using: &random)
            let isStream = Bool.random(using: &random)
            let task = Task {
              let request = Request.get("http://a.test/").attempts(2)
              guard isStream else { return try await client.send(request).text }
              var bytes: [UInt8] = []
              for try await chunk in try await client.stream(request).chunks { bytes += chunk }
              return String(decoding: bytes, as: UTF8.self)
            }
            if patience < 15 {
              for _ in 0..<patience { await Task.yield() }
              task.cancel()
            }
            switch await task.result {
            case .success(let text):
              #expect(text == "ok" || patience < 15)
              responded.add()
            case .failure(let error):
              let error = error as? RequestError
              #expect(error != nil && error?.cancellation != .overtaken)
              error?.isCancellation == true ? left.add() : failed.add()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(responded.count + failed.count + left.count == Self.workers * Self.calls)
    #expect(responded.count > 0 && left.count > 0)
    // An attempt that has lost may end after its call.
    await client.pipeline.inFlight.whenEmpty()
    while stub.inFlight > 0 || client.pipeline.slots.load != SlotLoad() { await Task.yield() }
    if seed == 2 {
      #expect(hedged.count > 0)
      #expect(recorder.problems.isEmpty)
      // A call reports its end when it is in flight no more.
      while recorder.ends.contains(0) { await Task.yield() }
      #expect(recorder.ends.allSatisfy { $0 == 1 })
    }
  }

  private struct Passing: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      try await next(request)
    }
  }
}

extension EventRecorder {
  /// The number of last events of each call.
  fileprivate var ends: [Int] {
    Array(records.reduce(into: [UInt64: Int]()) { $0[$1.call, default: 0] += $1.event.isEnd ? 1 : 0 }.values)
  }
}
