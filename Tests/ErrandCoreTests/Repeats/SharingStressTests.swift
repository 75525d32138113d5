import ErrandTesting
import Testing

@testable import ErrandCore

/// Many tasks that share, give up and come back, all at once.
@Suite struct SharingStressTests {
  private let repeats = Repeats<Int>(Timeline(VirtualClock()))

  @Test(arguments: [UInt64](1...4))
  func `every caller has one outcome, and nothing is left`(seed: UInt64) async throws {
    let (answered, left) = (Tally(), Tally())
    try await withThrowingTaskGroup { group in
      for worker in 0..<16 {
        group.addTask {
          var random = SeededRandom(seed: seed &* 1000 &+ UInt64(worker))
          for _ in 0..<200 {
            let signal = StopSignal()
            let key = Int.random(in: 0..<3, using: &random)
            let yields = Int.random(in: 0..<6, using: &random)
            let patience = Int.random(in: 0..<8, using: &random)
            let stopper = Task {
              for _ in 0..<patience { await Task.yield() }
              if patience < 5 { signal.stop(.cancelled(.taskCancelled)) }
            }
            let policy = SharingPolicy(whenAbandoned: patience == 1 ? .finishes : .calledOff)
            do {
              let answer = try await repeats.share(
                RequestKey(key), policy, urgency: Urgency(.default), of: signal
              ) { flight in
                for _ in 0..<yields {
                  await Task.yield()
                  try flight.signal.check()
                }
                return key
              }
              #expect(answer == key)
              answered.add()
            } catch {
              #expect((error as? RequestError)?.cancellation == .taskCancelled)
              left.add()
            }
            await stopper.value
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(answered.count + left.count == 16 * 200)
    #expect(answered.count > 0)
    #expect(left.count > 0)
    // Those that nobody waits for any more may still be on their way.
    while !repeats.states.isEmpty { await Task.yield() }
  }

  @Test(arguments: 1...20)
  func `a stop and an answer that race give one outcome`(round: Int) async {
    for _ in 0..<50 {
      let gate = StubGate()
      let signals = (0..<8).map { _ in StopSignal() }
      let calls = signals.map { signal in
        Task {
          try await repeats.share("key", SharingPolicy(), urgency: Urgency(.default), of: signal) { _ in
            try await gate.pass()
            return 1
          }
        }
      }
      while repeats.states.sharing.withLock({ $0.callers(of: "key") }) < signals.count { await Task.yield() }
      async let opened: Void = gate.open()
      async let stopped: Void = { for signal in signals { signal.stop(.cancelled(.callCancelled)) } }()
      _ = await (opened, stopped)
      for call in calls {
        switch await call.result {
        case .success(let answer): #expect(answer == 1)
        case .failure(let error): #expect((error as? RequestError)?.cancellation == .callCancelled)
        }
      }
      #expect(repeats.states.isEmpty)
    }
  }
}
