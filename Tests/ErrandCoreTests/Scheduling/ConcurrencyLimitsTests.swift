import Testing

@testable import ErrandCore

@Suite struct ConcurrencyLimitsTests {
  @Test func `four at once if nothing is said, two of them kept`() {
    let limits = ConcurrencyLimits()
    #expect(limits.total == 4)
    #expect(limits.perHost == nil)
    #expect(limits.kept == 2)
  }

  @Test(arguments: [
    (nil, 1, Int.max), (1, 1, 1), (2, 5, 1), (4, 0, 4), (4, 1, 3), (4, -2, 4), (8, 3, 5), (0, 0, 1),
  ])
  func `one slot always remains for all`(total: Int?, kept: Int, unseen: Int) {
    var limits = ConcurrencyLimits(total: total)
    limits.kept = kept
    #expect(SlotBounds(limits).unseen == unseen)
  }
}
