import Testing

@testable import ErrandSwiftUI

@Suite struct VisibilityStateTests {
  private var state = VisibilityState(grace: .milliseconds(300))

  @Test mutating func `the requests of a view that disappears are lowered, and end after the grace`() {
    #expect(state.appear() == [])
    #expect(state.disappear(at: .seconds(1)) == [.lower, .wake(at: .milliseconds(1300))])
    #expect(state.ring(at: .milliseconds(1299)) == [])
    #expect(state.ring(at: .milliseconds(1300)) == [.end])
    #expect(state.ring(at: .seconds(2)) == [])
  }

  @Test mutating func `the requests of a view that returns within the grace are restored`() {
    _ = state.appear()
    _ = state.disappear(at: .seconds(1))
    #expect(state.appear() == [.restore])
    #expect(state.ring(at: .seconds(2)) == [])
    // The time of the first absence must not affect the second.
    _ = state.disappear(at: .seconds(2))
    #expect(state.ring(at: .milliseconds(2100)) == [])
    #expect(state.ring(at: .milliseconds(2300)) == [.end])
  }

  @Test mutating func `a view that returns later has a new scope`() {
    _ = state.appear()
    _ = state.disappear(at: .zero)
    _ = state.ring(at: .seconds(1))
    #expect(state.appear() == [.renew])
    #expect(state.appear() == [])
  }

  @Test mutating func `a view that never appeared ends nothing`() {
    #expect(state.disappear(at: .zero) == [])
    #expect(state.ring(at: .seconds(1)) == [])
  }
}
