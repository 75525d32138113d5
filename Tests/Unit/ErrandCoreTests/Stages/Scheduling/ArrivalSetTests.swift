import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct ArrivalSetTests {
  @Test(arguments: [UInt64(1), 7, 64, 4095, 1 << 20, 1 << 40])
  func `the set is sorted, however far apart its arrivals are`(stride: UInt64) {
    var random = SeededRandom(seed: stride)
    var set = ArrivalSet()
    var known: [UInt64: Int] = [:]
    for step in 0..<800 {
      // The set alternately grows and shrinks, down to zero.
      let grows = Int.random(in: 0..<10, using: &random) < (step / 200 % 2 == 0 ? 7 : 2)
      if grows {
        let arrival = UInt64.random(in: 0..<1000, using: &random) * stride
        if known[arrival] == nil {
          known[arrival] = step
          set.insert(arrival, place: step)
        }
      } else if let arrival = known.keys.sorted().randomElement(using: &random) {
        known[arrival] = nil
        set.remove(arrival)
      }
      #expect(set.first == known.keys.min().flatMap { known[$0] } && set.isEmpty == known.isEmpty)
    }
    for arrival in known.keys.sorted() {
      #expect(set.first == known[arrival])
      set.remove(arrival)
    }
    #expect(set.isEmpty)
  }

  @Test func `removing an absent arrival changes nothing`() {
    var set = ArrivalSet()
    set.remove(5)
    set.insert(5, place: 1)
    for arrival: UInt64 in [4, 69, 1 << 50] { set.remove(arrival) }
    #expect(set.first == 1)
    set.insert(1 << 50, place: 2)
    set.remove(69)
    set.remove(5)
    #expect(set.first == 2)
  }

  @Test func `the set accepts the highest possible arrival`() {
    var set = ArrivalSet()
    set.insert(.max, place: 1)
    set.insert(0, place: 2)
    #expect(set.first == 2)
    set.remove(0)
    #expect(set.first == 1)
    set.remove(.max)
    #expect(set.isEmpty)
  }
}
