import ErrandCore
import Testing

@testable import ErrandUIKit

@Suite struct PrefetchStateTests {
  @Test func `an item that is no longer expected is lowered, not cancelled`() {
    var state = PrefetchState<Int>()
    #expect(state.prefetch([1, 2]) == [.start(1), .start(2)])
    #expect(state.cancel([2, 3]) == [.lower(2, to: .background)])
    #expect(state.cancel([2]) == [])
    #expect(state.prefetch([2]) == [.raise(2, to: .utility)])
  }

  @Test func `a shown item has a high priority until it is hidden`() {
    var state = PrefetchState<Int>()
    _ = state.prefetch([1])
    #expect(state.show(1) == [.raise(1, to: .userInitiated)])
    #expect(state.prefetch([1]) == [])
    #expect(state.cancel([1]) == [])
    #expect(state.hide(1) == [.lower(1, to: .background)])
    #expect(state.hide(1) == [])
  }

  @Test func `an item that was not prefetched is started when it is shown`() {
    var state = PrefetchState<Int>()
    #expect(state.show(1) == [.start(1)])
    state.end(1)
    #expect(state.items.isEmpty)
    #expect(state.prefetch([1]) == [.start(1)])
  }
}
