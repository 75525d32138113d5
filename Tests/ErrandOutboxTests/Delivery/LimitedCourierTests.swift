import Testing

@testable import ErrandOutbox

/// A courier that delivers to some origins only.
struct LimitedCourierTests {
  private var state = CourierState(concurrency: 4, probes: 8, limits: .sample, only: ["a"])

  private mutating func wish() throws -> CourierState.Order {
    let order = state.claim(at: .zero)
    return try #require(order)
  }

  private mutating func claimsNothing() -> Bool { state.claim(at: .zero) == nil }

  @Test mutating func `it claims nothing of others, and does not ask for them again and again`() throws {
    state.want()
    var order = try wish()
    #expect(order.wish == OriginTable.Wish(rooms: ["a": 1], others: 0, open: [:]))
    state.claimed(["a": 1], of: order, hasMore: false, held: [])
    #expect(claimsNothing())
    let lease = Lease(id: OutboxID(rawValue: "1"), number: 1)
    state.begin(lease, "a", at: .zero)
    _ = state.answered(lease, .answered, hasReached: true, at: .zero)
    state.recorded(1, of: ["a"])
    order = try wish()
    #expect(order.wish == OriginTable.Wish(rooms: ["a": 8], others: 0, open: [:]))
    state.claimed([:], of: order, hasMore: false, held: [])
    #expect(claimsNothing())
  }
}
