import Foundation
import Testing

@testable import ErrandOutbox

/// A dispatcher that delivers only to some origins.
struct LimitedDispatcherTests {
  private var state = DispatchState(concurrency: 4, probes: 8, limits: .sample, only: ["a"])
  private var number: Int64 = 0

  private mutating func wish() throws -> DispatchState.Order {
    let order = state.claim(at: .zero)
    return try #require(order)
  }

  private mutating func claimsNothing() -> Bool { state.claim(at: .zero) == nil }

  @Test mutating func `a limited dispatcher claims no rows of other origins, and does not claim repeatedly`()
    throws
  {
    state.want()
    var order = try wish()
    #expect(order.wish == OriginTable.Wish(capacities: ["a": 1], others: 0, open: [:]))
    state.claimed(["a": 1], of: order, from: &number)
    #expect(claimsNothing())
    let row = state.begin("a", at: .zero)
    let finished = FinishedAttempt(lease: try #require(row).lease, outcome: .delivered(response: Data()))
    state.ended(finished, .responded, hasReached: true, at: .zero)
    state.record()
    order = try wish()
    #expect(order.wish == OriginTable.Wish(capacities: ["a": 8], others: 0, open: [:]))
    state.claimed([:], of: order, from: &number)
    #expect(claimsNothing())
  }
}
