import ErrandTesting
import Testing

@testable import ErrandCore

/// Random lives of a machine's network.
@Suite struct NetlinkSequenceTests {
  /// The shell around the rules, with a kernel of our own.
  private struct Run {
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
          if kernel.isAnswering { faults.append("it asks one thing at a time") }
          if due != nil { faults.append("it asks when it has rested") }
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

    /// Nothing changes any more.
    mutating func settle() {
      for _ in 0..<1000 where !kernel.isQuiet || due != nil {
        kernel.goOnAnswering()
        read()
        pass(.milliseconds(1))
        if kernel.isQuiet, let due { pass(due - now) }
      }
    }
  }

  @Test(arguments: 1...200)
  func `whatever happens, it tells what is true once all is quiet`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var run = Run()
    run.perform(run.state.look(at: .zero))
    for _ in 0..<40 {
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: run.kernel.change(&random)
        case 1..<4: run.kernel.goOnAnswering()
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
