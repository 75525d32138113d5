import Testing

@testable import ErrandCore

@Suite struct ActivityMeterTests {
  private struct Act {
    var state = ActivityState(text: "", delay: .zero, minimum: .seconds(1))
    var fraction: Double? { state.snapshot.fraction }

    mutating func begin() -> ActivityToken {
      state.begin(text: nil, blocksInput: false, at: .zero).0
    }
    mutating func end(_ token: ActivityToken) { _ = state.end(token, at: .zero) }
    mutating func receive(_ token: ActivityToken, _ done: Int64, of total: Int64?, attempt: Int = 1) {
      var progress = TransferProgress(attempt: attempt)
      progress.received = done
      progress.receivedTotal = total
      _ = state.progress(token, progress, at: .zero)
    }
    mutating func send(_ token: ActivityToken, _ done: Int64, of total: Int64?) {
      var progress = TransferProgress(attempt: 1)
      progress.sent = done
      progress.sentTotal = total
      _ = state.progress(token, progress, at: .zero)
    }
  }

  @Test func `the fraction is unknown if no total is known`() {
    var act = Act()
    let token = act.begin()
    #expect(act.fraction == nil)
    act.receive(token, 500, of: nil)
    #expect(act.fraction == nil)
    act.send(token, 100, of: 100)
    #expect(act.fraction == nil)
  }

  @Test func `the fraction of a download rises from 0 to 1`() {
    var act = Act()
    let token = act.begin()
    var told: [Double?] = []
    for done in stride(from: Int64(0), through: 1000, by: 250) {
      act.receive(token, done, of: 1000)
      told.append(act.fraction)
    }
    #expect(told == [0, 0.25, 0.5, 0.75, 1])
    act.end(token)
    #expect(act.fraction == 1)
  }

  @Test func `the fraction of an upload reserves the same part for a response of any length`() {
    for response: Int64 in [0, 20, 1_600_000, 50_000_000] {
      var act = Act()
      let token = act.begin()
      act.send(token, 800_000, of: 1_600_000)
      #expect(act.fraction == 0.470)
      act.send(token, 1_600_000, of: 1_600_000)
      #expect(act.fraction == 0.941)
      var progress = TransferProgress(attempt: 1)
      progress.sent = 1_600_000
      progress.sentTotal = 1_600_000
      progress.receivedTotal = response
      _ = act.state.progress(token, progress, at: .zero)
      #expect(act.fraction == 0.941)
      progress.received = response / 2
      _ = act.state.progress(token, progress, at: .zero)
      if response > 1000 { #expect(act.fraction == 0.970) }
      progress.received = response
      _ = act.state.progress(token, progress, at: .zero)
      #expect(act.fraction == (response == 0 ? 0.941 : 1))
    }
  }

  @Test func `a request that joins does not lower the fraction, and gets its share of the rest`() {
    var act = Act()
    let first = act.begin()
    act.receive(first, 500, of: 1000)
    let second = act.begin()
    #expect(act.fraction == 0.5)
    act.receive(second, 0, of: 1500)
    #expect(act.fraction == 0.5)
    act.receive(first, 1000, of: 1000)
    #expect(act.fraction == 0.625)
    act.end(first)
    act.receive(second, 750, of: 1500)
    #expect(act.fraction == 0.812)
    act.receive(second, 1500, of: 1500)
    #expect(act.fraction == 1)
  }

  @Test func `the fraction stays below 1 while a request of unknown length is in progress`() throws {
    var act = Act()
    let first = act.begin()
    act.receive(first, 0, of: 1000)
    let second = act.begin()
    act.receive(first, 1000, of: 1000)
    #expect(act.fraction == 0.5)
    act.end(first)
    act.receive(second, 9000, of: nil)
    #expect(act.fraction == 0.5)
  }

  @Test func `another attempt does not lower the fraction`() {
    var act = Act()
    let token = act.begin()
    act.receive(token, 600, of: 1000)
    act.receive(token, 0, of: nil, attempt: 2)
    #expect(act.fraction == 0.6)
    act.receive(token, 500, of: 1000, attempt: 2)
    #expect(act.fraction == 0.8)
    act.receive(token, 1000, of: 1000, attempt: 2)
    #expect(act.fraction == 1)
  }

  @Test func `a request that joins at a full fraction makes it unknown until the activity is hidden`() {
    var act = Act()
    let first = act.begin()
    act.receive(first, 1000, of: 1000)
    #expect(act.fraction == 1)
    let second = act.begin()
    act.receive(second, 10, of: 1000)
    #expect(act.fraction == nil)
    act.end(first)
    act.end(second)
    _ = act.state.ring(at: .seconds(1))
    let third = act.begin()
    act.receive(third, 10, of: 1000)
    #expect(act.fraction == 0.01)
  }

  @Test func `a request that joins at a full fraction keeps it known while the activity is hidden`() {
    var state = ActivityState(text: "", delay: .milliseconds(400), minimum: .seconds(1))
    let (small, _) = state.begin(text: nil, blocksInput: false, at: .zero)
    var progress = TransferProgress(attempt: 1)
    progress.received = 1000
    progress.receivedTotal = 1000
    _ = state.progress(small, progress, at: .zero)
    let (large, _) = state.begin(text: nil, blocksInput: false, at: .milliseconds(10))
    _ = state.end(small, at: .milliseconds(20))
    progress.received = 0
    progress.receivedTotal = 999_000
    _ = state.progress(large, progress, at: .milliseconds(30))
    #expect(state.snapshot.fraction == 0.001)
    _ = state.ring(at: .milliseconds(400))
    #expect(state.snapshot.isShown && state.snapshot.fraction == 0.001)
  }

  @Test func `a length of any size does not overflow the fraction`() {
    var act = Act()
    let first = act.begin()
    let second = act.begin()
    act.receive(first, 5, of: .max)
    act.receive(second, 50, of: 100)
    act.end(first)
    act.receive(second, 100, of: 100)
    #expect(act.fraction == 1)
  }
}
