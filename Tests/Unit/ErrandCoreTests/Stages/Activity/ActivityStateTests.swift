import Testing

@testable import ErrandCore

@Suite struct ActivityStateTests {
  private func make(delay: Int = 400, minimum: Int = 500) -> ActivityState {
    ActivityState(text: "own", delay: .milliseconds(delay), minimum: .milliseconds(minimum))
  }

  private func at(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

  @Test func `an activity whose requests end before the delay is never shown`() {
    var state = make()
    let (token, begun) = state.begin(text: nil, blocksInput: false, at: at(0))
    #expect(begun.changes == .count)
    #expect(begun.due == at(400))
    let ended = state.end(token, at: at(399))
    #expect(ended.changes == .count)
    #expect(ended.due == nil)
    let rung = state.ring(at: at(400))
    #expect(rung.changes.isEmpty)
    #expect(state.snapshot == RequestActivity.Snapshot(text: "own"))
  }

  @Test func `an activity whose requests take longer is shown, for at least the minimum`() {
    var state = make()
    let (token, _) = state.begin(text: nil, blocksInput: false, at: at(0))
    let shown = state.ring(at: at(400))
    #expect(shown.changes == .isShown)
    #expect(shown.due == nil)
    let ended = state.end(token, at: at(450))
    #expect(ended.changes == .count)
    #expect(ended.due == at(900))
    #expect(state.snapshot.isShown)
    let early = state.ring(at: at(899))
    #expect(early.due == at(900))
    let hidden = state.ring(at: at(900))
    #expect(hidden.changes == .isShown)
    #expect(hidden.due == nil)
  }

  @Test func `an activity that was shown for the minimum is hidden when its last request ends`() {
    var state = make()
    let (token, _) = state.begin(text: nil, blocksInput: false, at: at(0))
    _ = state.ring(at: at(400))
    let ended = state.end(token, at: at(900))
    #expect(ended.changes == [.isShown, .count])
    #expect(ended.due == nil)
  }

  @Test func `a request that starts while the activity lingers keeps it shown, even if the timer is late`() {
    for begin in [500, 5000] {
      var state = make()
      let (first, _) = state.begin(text: nil, blocksInput: false, at: at(0))
      _ = state.ring(at: at(400))
      _ = state.end(first, at: at(410))
      let (second, begun) = state.begin(text: nil, blocksInput: false, at: at(begin))
      #expect(begun.changes == .count)
      #expect(begun.due == nil)
      let rung = state.ring(at: at(begin + 500))
      #expect(rung.changes.isEmpty)
      let ended = state.end(second, at: at(begin + 600))
      #expect(ended.changes == [.isShown, .count])
    }
  }

  @Test func `the delay is measured from the first of overlapping requests`() {
    var state = make()
    let (first, _) = state.begin(text: nil, blocksInput: false, at: at(0))
    let (_, second) = state.begin(text: nil, blocksInput: false, at: at(300))
    #expect(second.due == at(400))
    _ = state.end(first, at: at(350))
    let rung = state.ring(at: at(400))
    #expect(rung.changes == .isShown)
  }

  @Test func `requests that do not overlap each have their own delay`() {
    var state = make()
    let (first, _) = state.begin(text: nil, blocksInput: false, at: at(0))
    _ = state.end(first, at: at(300))
    let (_, second) = state.begin(text: nil, blocksInput: false, at: at(301))
    #expect(second.due == at(701))
    let rung = state.ring(at: at(400))
    #expect(rung.changes.isEmpty)
    #expect(rung.due == at(701))
  }

  @Test func `an activity that ends before a late timer fires is not shown`() {
    var state = make()
    let (token, _) = state.begin(text: nil, blocksInput: false, at: at(0))
    let ended = state.end(token, at: at(2000))
    #expect(ended.changes == .count)
    #expect(!state.snapshot.isShown)
  }

  @Test func `an activity without a delay is shown at once, and without a minimum is hidden at once`() {
    var state = make(delay: 0, minimum: 0)
    let (token, begun) = state.begin(text: nil, blocksInput: false, at: at(7))
    #expect(begun.changes == [.isShown, .count])
    let ended = state.end(token, at: at(7))
    #expect(ended.changes == [.isShown, .count])
    #expect(ended.due == nil)
  }

  @Test func `an infinite delay is capped at the longest duration`() {
    var state = ActivityState(
      text: "", delay: Duration(secondsComponent: .max, attosecondsComponent: 0), minimum: .seconds(-5))
    let (_, begun) = state.begin(text: nil, blocksInput: false, at: at(7))
    #expect(begun.due == at(7) + .longest)
  }

  @Test func `the text is that of the newest request with a text`() {
    var state = make()
    let (a, stepA) = state.begin(text: "A", blocksInput: false, at: at(0))
    #expect(stepA.changes == [.text, .count])
    let (b, _) = state.begin(text: "B", blocksInput: false, at: at(1))
    let (c, _) = state.begin(text: "C", blocksInput: false, at: at(2))
    let (_, stepNone) = state.begin(text: nil, blocksInput: false, at: at(3))
    #expect(stepNone.changes == .count)
    #expect(state.snapshot.text == "C")
    let endB = state.end(b, at: at(4))
    #expect(endB.changes == .count)
    _ = state.end(c, at: at(5))
    #expect(state.snapshot.text == "A")
    _ = state.end(a, at: at(6))
    #expect(state.snapshot.text == "own")
  }

  @Test func `a lingering activity keeps its last text`() {
    var state = make()
    let (token, _) = state.begin(text: "A", blocksInput: false, at: at(0))
    _ = state.ring(at: at(400))
    _ = state.end(token, at: at(450))
    #expect(state.snapshot.text == "A")
    let hidden = state.ring(at: at(900))
    #expect(hidden.changes == [.isShown, .text])
    #expect(state.snapshot.text == "own")
  }

  @Test func `input is blocked exactly from the start to the end of a blocking request`() {
    var state = make()
    let (blocker, begun) = state.begin(text: nil, blocksInput: true, at: at(0))
    #expect(begun.changes == [.blocksInput, .count])
    let (other, _) = state.begin(text: nil, blocksInput: false, at: at(0))
    _ = state.ring(at: at(400))
    let ended = state.end(blocker, at: at(450))
    #expect(ended.changes == [.blocksInput, .count])
    _ = state.end(other, at: at(451))
    #expect(state.snapshot.isShown && !state.snapshot.blocksInput)
  }

  @Test func `the token of a request that has ended does nothing`() {
    var state = make()
    let (first, _) = state.begin(text: nil, blocksInput: true, at: at(0))
    _ = state.end(first, at: at(1))
    _ = state.begin(text: nil, blocksInput: true, at: at(2))
    let again = state.end(first, at: at(3))
    #expect(again.changes.isEmpty)
    var progress = TransferProgress(attempt: 1)
    progress.receivedTotal = 10
    let late = state.progress(first, progress, at: at(4))
    #expect(late.changes.isEmpty)
    #expect(state.snapshot.count == 1 && state.snapshot.blocksInput)
  }
}
