import ErrandTesting
import TestSupport
import Testing

@testable import ErrandReachability

/// Random sequences of changes to a machine's network.
@Suite(.computesLong) struct NetlinkSequenceTests {
  /// The shell around the state machine, with a model of the kernel.
  private struct CallContext {
    var kernel = ModelKernel()
    var state = NetlinkState()
    var now = Duration.zero
    var due: Duration?
    var told: NetworkStatus?
    var faults: [String] = []

    mutating func perform(_ effects: [NetlinkState.Effect]) {
      for effect in effects {
        switch effect {
        case .ask(let request, let number):
          if kernel.isResponding { faults.append("it sends one request at a time") }
          if due != nil { faults.append("it sends a request after its rest") }
          kernel.ask(request, number)
        case .tell(let status): told = status
        case .wake(let rest):
          if due != nil { faults.append("it rests once") }
          due = now + rest
        case .giveUp: faults.append("it does not give up")
        }
      }
    }

    mutating func read() {
      switch kernel.read() {
      case .message(let message): perform(state.hear(message, at: now))
      case .loss: perform(state.look(at: now))
      case nil: break
      }
    }

    mutating func pass(_ time: Duration) {
      now += time
      guard let end = due, end <= now else { return }
      due = nil
      perform(state.wake(at: now))
    }

    /// Runs on without further changes until nothing happens any more.
    mutating func settle() {
      for _ in 0..<1000 where !kernel.isQuiet || due != nil {
        kernel.goOnResponding()
        read()
        pass(.milliseconds(1))
        if kernel.isQuiet, let due { pass(due - now) }
      }
    }
  }

  @Test(arguments: 1...200)
  func `the state reports the true status when everything is quiet, whatever happened`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var run = CallContext()
    run.perform(run.state.look(at: .zero))
    for _ in 0..<40 {
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: run.kernel.change(&random)
        case 1..<4: run.kernel.goOnResponding()
        case 4..<7: run.read()
        default: run.pass(.milliseconds([0, 1, 30, 200].randomElement(using: &random) ?? 0))
        }
      }
      run.settle()
      #expect(run.told == run.kernel.status)
      #expect(run.kernel.isQuiet && run.due == nil, "it comes to an end")
    }
    #expect(run.faults == [])
  }
}
