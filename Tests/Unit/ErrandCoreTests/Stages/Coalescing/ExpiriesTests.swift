import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct ExpiriesTests {
  @Test(arguments: 1...10)
  func `every element expires once, in the order of the due times, and none before its time`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var expiries = Expiries<Int>()
    var waiting: [Int: Duration] = [:]
    var now = Duration.zero
    for step in 0..<2000 {
      if Int.random(in: 0..<3, using: &random) > 0 {
        let due = now + .milliseconds(Int.random(in: 0...500, using: &random))
        waiting[step] = due
        _ = expiries.add(step, due: due)
      } else {
        now += .milliseconds(Int.random(in: 0...100, using: &random))
        var last = Duration.zero
        while let element = expiries.next(by: now) {
          let due = waiting.removeValue(forKey: element)
          #expect(due.map { last <= $0 && $0 <= now } == true)
          last = due ?? last
        }
        #expect(waiting.values.allSatisfy { $0 > now })
      }
      if step % 500 == 499 {
        waiting = waiting.filter { $0.key % 2 == 0 }
        expiries.keep { $0 % 2 == 0 }
      }
      #expect(expiries.count == waiting.count)
    }
  }

  @Test func `one timer is set for many elements, and none for later elements`() {
    var expiries = Expiries<Int>()
    let first = expiries.add(1, due: .milliseconds(3010))
    #expect(first == .milliseconds(3100))
    for element in 2..<100 {
      let more = expiries.add(element, due: .milliseconds(3010 + element % 80))
      #expect(more == nil)
    }
    let earlier = expiries.add(100, due: .milliseconds(500))
    #expect(earlier == .milliseconds(600))
    while expiries.next(by: .milliseconds(600)) != nil {}
    let next = expiries.nextRing()
    #expect(next == .milliseconds(3100))
    while expiries.next(by: .milliseconds(3100)) != nil {}
    let none = expiries.nextRing()
    #expect(none == nil)
    let again = expiries.add(101, due: .seconds(5))
    #expect(again == .milliseconds(5100))
  }
}
