import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox

struct HandTests {
  private var hand = Hand()
  private let state = CourierState(concurrency: 4, probes: 8, limits: .sample)

  private func row(_ number: Int64, _ origin: String, priority: Int = 0, lane: String? = nil) -> ClaimedRow {
    let id = OutboxID(rawValue: "\(number)")
    let row = OutboxRow(
      id: id, sequence: number, lane: lane, priority: priority, state: .trying, created: 0, changed: 0,
      tries: 1,
      countedTries: 1, due: nil, expires: nil, reason: nil, size: 1, summary: Data(), answer: nil,
      origin: origin)
    return ClaimedRow(row: row, content: Data(), lease: Lease(id: id, number: number))
  }

  @Test mutating func `a lease is held until it ends, is renewed or is lost`() {
    let (one, two) = (row(1, "a"), row(2, "b"))
    hand.take([one, two], until: 100, renewingBy: 60)
    #expect(hand.holds(one.lease, at: 99) && !hand.holds(one.lease, at: 100))
    hand.renewed([one.lease], until: 200, nextBy: 160)
    #expect(hand.holds(one.lease, at: 199) && !hand.holds(two.lease, at: 199))
    _ = hand.next(for: state)
    #expect(hand.drop([one.lease, two.lease]) == ["b": 1])
    #expect(!hand.holds(one.lease, at: 0) && hand.isLost(one.lease))
    #expect(!hand.holds(two.lease, at: 0))
  }

  @Test mutating func `the most important goes first, and of these the one that was claimed first`() {
    hand.take(
      [row(1, "a"), row(2, "b", priority: 1), row(3, "a", priority: 1), row(4, "c", priority: 1)], until: 9,
      renewingBy: 9)
    var order: [Int64] = []
    while let next = hand.next(for: state) { order.append(next.lease.number) }
    // What is behind another of its origin waits for that.
    #expect(order == [2, 4, 1, 3])
  }

  @Test mutating func `what is given back names its origin, if that had to be looked up`() {
    let (one, two) = (row(1, "a"), row(2, "b"))
    hand.take([one, two], until: 9, renewingBy: 9, learned: [two.lease])
    var stopped = state
    stopped.stop()
    #expect(hand.returnWaiting(for: stopped) == ["a": 1, "b": 1])
    #expect(hand.beginRecording()?.map(\.origin) == [nil, "b"])
    #expect(hand.endRecording() == Hand.Recorded(origins: ["a", "b"], hadLanes: false))
    #expect(hand.isEmpty)
  }

  @Test(arguments: [true, false])
  mutating func `what was claimed again is sent only if the earlier attempt has not delivered it`(
    isDelivered: Bool
  ) {
    let (one, other) = (row(1, "a"), row(5, "a"))
    var again = one
    again.row.tries = 2
    again.lease.number = 2
    hand.take([one], until: 9, renewingBy: 9)
    _ = hand.next(for: state)
    hand.take([again, other], until: 90, renewingBy: 90)
    #expect(hand.next(for: state) == nil)
    let outcome: FinishedTry.Outcome =
      isDelivered
      ? .delivered(answer: Data()) : .failed(reason: "", next: .zero, counts: true, wasOffline: false)
    hand.end(FinishedTry(lease: one.lease, outcome: outcome))
    _ = hand.beginRecording()
    #expect(hand.next(for: state) == nil)
    #expect(hand.endRecording().returned == (isDelivered ? ["a"] : []))
    #expect(hand.next(for: state)?.lease == (isDelivered ? other.lease : again.lease))
    #expect(hand.beginRecording()?.map(\.lease) == (isDelivered ? [again.lease] : nil))
  }

  @Test mutating func `the least important there can be is sent, and last`() {
    hand.take([row(1, "a", priority: .min), row(2, "b", priority: .max)], until: 9, renewingBy: 9)
    #expect(hand.next(for: state)?.lease.number == 2)
    #expect(hand.next(for: state)?.lease.number == 1)
  }

  @Test mutating func `the contents of what was sent are let go of, though more of its origin waits`() {
    let released = Locked(0)
    func sample(_ number: Int) -> ClaimedRow {
      var row = row(Int64(number), "a")
      row.content = Data(
        bytesNoCopy: .allocate(byteCount: 100, alignment: 1), count: 100,
        deallocator: .custom { pointer, _ in
          pointer.deallocate()
          released.withLock { $0 += 1 }
        })
      return row
    }
    hand.take((1...200).map(sample), until: 9, renewingBy: 9)
    for _ in 0..<150 { _ = hand.next(for: state) }
    #expect(released.withLock { $0 } > 60)
  }

  @Test mutating func `what is recorded tells whether it was in a lane`() {
    for (row, isLaned) in [(row(1, "a", lane: "x"), true), (row(2, "a"), false)] {
      hand.take([row], until: 9, renewingBy: 9)
      _ = hand.next(for: state)
      hand.end(FinishedTry(lease: row.lease, outcome: .returned))
      _ = hand.beginRecording()
      #expect(hand.endRecording() == Hand.Recorded(origins: ["a"], hadLanes: isLaned))
    }
  }
}
