import Testing

@testable import ErrandCore

@Suite struct ConcurrencyLimitsTests {
  @Test func `the default limits are 64 in total and four per origin, with two reserved slots`() {
    let limits = ConcurrencyLimits()
    #expect(limits.total == 64)
    #expect(limits.perOrigin == 4)
    #expect(limits.reserved == 2)
    #expect(SlotBounds(limits).perOriginUnseen == 2)
    #expect(SlotBounds(.unlimited) == SlotBounds(ConcurrencyLimits(total: nil, perOrigin: nil)))
  }

  @Test(arguments: [
    (nil, 1, Int.max), (1, 1, 1), (2, 5, 1), (4, 0, 4), (4, 1, 3), (4, -2, 4), (8, 3, 5), (0, 0, 1),
    (.min, .max, 1),
  ])
  func `at least one slot remains for all priorities`(total: Int?, reserved: Int, unseen: Int) {
    var limits = ConcurrencyLimits(total: total)
    limits.reserved = reserved
    #expect(SlotBounds(limits).unseen == unseen)
  }
}
