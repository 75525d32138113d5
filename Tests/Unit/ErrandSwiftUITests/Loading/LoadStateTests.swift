import ErrandCore
import ErrandTesting
import Testing

@testable import ErrandSwiftUI

@Suite struct LoadStateTests {
  private struct Broken: Error {}

  private var state = LoadState<Int>(grace: .milliseconds(300))

  @Test mutating func `a second view of the same value joins the first view's request`() {
    #expect(state.appear(1) == [.start(1)])
    #expect(state.appear(2) == [])
    #expect(state.end(1, .success(7)) == [.resume(1)])
    #expect(state.shown.value == 7 && !state.shown.isRefreshing)
    #expect(state.appear(3) == [])
  }

  @Test
  mutating func
    `if one of two views disappears nothing is cancelled, and after the last one only at the end of the grace`()
  {
    _ = state.appear(1)
    _ = state.appear(2)
    #expect(state.disappear(1, isFinal: false, at: .zero) == [])
    #expect(
      state.disappear(2, isFinal: false, at: .zero) == [.lower(1), .wake(at: .milliseconds(300))])
    #expect(state.ring(at: .milliseconds(300)) == [.cancel(1), .resume(1)])
    #expect(state.end(1, .success(7)) == [])
    #expect(state.shown.value == nil && state.shown.error == nil)
  }

  @Test mutating func `a view that returns within the grace finds its request in progress`() {
    _ = state.appear(1)
    _ = state.disappear(1, isFinal: false, at: .zero)
    #expect(state.appear(1) == [.restore(1)])
    #expect(state.ring(at: .seconds(1)) == [])
  }

  @Test mutating func `a view that shows another value does not return to the old one`() {
    _ = state.appear(1)
    #expect(state.disappear(1, isFinal: true, at: .zero) == [.cancel(1), .resume(1)])
  }

  @Test mutating func `the old value stays while the new one loads, and when that fails`() {
    _ = state.appear(1)
    _ = state.end(1, .success(7))
    #expect(state.refresh() == [.start(2)])
    #expect(state.shown.value == 7 && state.shown.isRefreshing)
    _ = state.end(2, .failure(Broken()))
    #expect(state.shown.value == 7 && state.shown.error is Broken && !state.shown.isRefreshing)
    _ = state.refresh()
    #expect(state.shown.error is Broken)
    _ = state.end(3, .success(8))
    #expect(state.shown.value == 8 && state.shown.error == nil)
  }

  @Test mutating func `a cancellation is not an error`() {
    _ = state.appear(1)
    _ = state.end(1, .failure(CancellationError()))
    #expect(state.shown.error == nil && !state.shown.isRefreshing)
  }

  @Test mutating func `a failed value is loaded again when the network returns, if a view shows it`() {
    _ = state.appear(1)
    _ = state.end(1, .failure(Broken()))
    #expect(state.networkIsBack() == [.start(2)])
    #expect(state.networkIsBack() == [])
    _ = state.end(2, .failure(Broken()))
    _ = state.disappear(1, isFinal: false, at: .zero)
    #expect(state.networkIsBack() == [])
  }

  @Test mutating func `a loaded value is not loaded again when the network returns`() {
    _ = state.appear(1)
    _ = state.end(1, .success(7))
    #expect(state.networkIsBack() == [])
  }

  /// At most one load runs at a time, each ends once, and only the newest changes the shown value.
  @Test(arguments: 1...30)
  mutating func `any order of events keeps at most one load running, and resumes each`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var (open, resumed, now): (Set<Int>, Set<Int>, Duration) = ([], [], .zero)
    for step in 0..<300 {
      now += .milliseconds(Int.random(in: 0..<200, using: &random))
      let user = Int.random(in: 1...3, using: &random)
      let effects =
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: state.appear(user)
        case 2: state.disappear(user, isFinal: Bool.random(using: &random), at: now)
        case 3: state.ring(at: now)
        case 4: state.refresh()
        case 5: state.networkIsBack()
        default:
          state.end(
            Int.random(in: 0...step, using: &random),
            Bool.random(using: &random) ? .success(step) : .failure(Broken()))
        }
      for effect in effects {
        switch effect {
        case .start(let run): #expect(open.isEmpty && open.insert(run).inserted)
        case .resume(let run): #expect(open.remove(run) != nil && resumed.insert(run).inserted)
        case .cancel(let run), .lower(let run), .restore(let run): #expect(open.contains(run))
        case .wake: break
        }
      }
      #expect(state.running.map { open == [$0] } ?? open.isEmpty)
      #expect(state.shown.isRefreshing == (state.running != nil) || step == 0 || resumed.isEmpty)
    }
  }
}
