import ErrandTesting
import Testing

@testable import ErrandCore

/// Many concurrent tasks that share a request, give up and return.
@Suite struct SharingStressTests {
  private let repeats = Coalescer<Int>(Timeline(VirtualClock()))

  @Test(arguments: [UInt64](1...4))
  func `every caller has one outcome, and nothing remains`(seed: UInt64) async throws {
    let (responded, left) = (Tally(), Tally())
    try await withThrowingTaskGroup { group in
      for worker in 0..<16 {
        group.addTask {
          var random = SeededRandom(seed: seed &* 1000 &+ UInt64(worker))
          for _ in 0..<200 {
            let cancellation = CancellationToken()
            let key = Int.random(in: 0..<3, using: &random)
            let yields = Int.random(in: 0..<6, using: &random)
            let patience = Int.random(in: 0..<8, using: &random)
            let stopper = Task {
              for _ in 0..<patience { await Task.yield() }
              if patience < 5 { cancellation.cancel(.cancelled(.taskCancelled)) }
            }
            let policy = SharingPolicy(whenAbandoned: patience == 1 ? .finishes : .cancelled)
            do {
              let response = try await repeats.share(
                RequestKey(key), policy, effectivePriority: EffectivePriority(.default), of: cancellation
              ) { inFlightRequest in
                for _ in 0..<yields {
                  await Task.yield()
                  try inFlightRequest.cancellation.check()
                }
                return key
              }
              #expect(response == key)
              responded.add()
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
    #expect(responded.count + left.count == 16 * 200)
    #expect(responded.count > 0)
    #expect(left.count > 0)
    // Requests without callers may still be in flight.
    while !repeats.states.isEmpty { await Task.yield() }
  }

  @Test(arguments: 1...20)
  func `a cancellation that races with a response gives one outcome`(round: Int) async {
    for _ in 0..<50 {
      let gate = StubGate()
      let cancellations = (0..<8).map { _ in CancellationToken() }
      let calls = cancellations.map { cancellation in
        Task {
          try await repeats.share(
            "key", SharingPolicy(), effectivePriority: EffectivePriority(.default), of: cancellation
          ) { _ in
            try await gate.pass()
            return 1
          }
        }
      }
      while repeats.states.sharing.withLock({ $0.callers(of: "key") }) < cancellations.count {
        await Task.yield()
      }
      async let opened: Void = gate.open()
      async let stopped: Void = {
        for cancellation in cancellations { cancellation.cancel(.cancelled(.callCancelled)) }
      }()
      _ = await (opened, stopped)
      for call in calls {
        switch await call.result {
        case .success(let response): #expect(response == 1)
        case .failure(let error): #expect((error as? RequestError)?.cancellation == .callCancelled)
        }
      }
      #expect(repeats.states.isEmpty)
    }
  }
}
