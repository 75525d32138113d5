import ErrandTesting
import Testing

@testable import ErrandUIKit

@Suite struct NavigationStateTests {
  @Test func `a page that leaves remains until the transition has ended`() {
    var state = NavigationState<Int>()
    _ = state.follow([1, 2, 3], isLeaving: { _ in false })
    let hasLeft = state.follow([1, 2], isLeaving: { _ in true })
    #expect(!hasLeft)
    #expect(state.pages == [1, 2, 3])
    _ = state.follow([1, 2], isLeaving: { _ in false })
    #expect(state.pages == [1, 2])
  }

  @Test func `a cancelled transition ends nothing`() {
    var state = NavigationState<Int>()
    _ = state.follow([1, 2, 3], isLeaving: { _ in false })
    _ = state.follow([1], isLeaving: { _ in true })
    let hasLeft = state.follow([1, 2, 3], isLeaving: { _ in false })
    #expect(!hasLeft)
  }

  @Test func `each page leaves separately`() {
    var state = NavigationState<Int>()
    _ = state.follow([1, 2, 3, 4], isLeaving: { _ in false })
    _ = state.follow([1], isLeaving: { $0 == 3 })
    #expect(state.pages == [1, 3])
  }

  @Test func `a new page counts at once`() {
    var state = NavigationState<Int>()
    _ = state.follow([1], isLeaving: { _ in false })
    _ = state.follow([1, 2], isLeaving: { _ in true })
    #expect(state.pages == [1, 2])
  }

  @Test(arguments: 1...20)
  func `after a transition the pages are the shown ones, and before its end none has left`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var state = NavigationState<Int>()
    var shown: [Int] = []
    for step in 0..<200 {
      let old = shown
      shown = old.filter { _ in Int.random(in: 0..<3, using: &random) > 0 } + [step]
      _ = state.follow(shown, isLeaving: { _ in true })
      #expect(Set(state.pages) == Set(shown).union(old))
      #expect(state.pages.starts(with: shown))
      if Bool.random(using: &random) { shown = old }
      _ = state.follow(shown, isLeaving: { _ in false })
      #expect(state.pages == shown)
    }
  }
}
