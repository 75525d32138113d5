import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox

struct InFlightRowsTests {
  private var inFlight = InFlightRows()
  private let state = DispatchState(concurrency: 4, probes: 8, limits: .sample)

  private func row(_ number: Int64, _ origin: String, priority: Int = 0, lane: String? = nil) -> ClaimedRow {
    .sample(number, origin, priority: priority, lane: lane)
  }

  private mutating func next() -> ClaimedRow? {
    inFlight.nextOrigin(where: state.mayBegin).flatMap { inFlight.begin($0) }
  }

  @Test mutating func `a lease is held until it expires or is lost, and longer if it is renewed`() {
    let (one, two) = (row(1, "a"), row(2, "b"))
    inFlight.take([one, two], until: 100, renewingBy: 60)
    #expect(inFlight.holds(one.lease, at: 99) && !inFlight.holds(one.lease, at: 100))
    inFlight.renewed([one.lease], until: 200, nextBy: 160)
    #expect(inFlight.holds(one.lease, at: 199) && !inFlight.holds(two.lease, at: 199))
    _ = next()
    #expect(inFlight.drop([one.lease, two.lease]) == ["b": 1])
    #expect(!inFlight.holds(one.lease, at: 0) && inFlight.isLost(one.lease))
    #expect(!inFlight.holds(two.lease, at: 0))
  }

  @Test
  mutating func `rows are sent by priority, and rows of the same priority in the order of their claims`() {
    inFlight.take(
      [row(1, "a"), row(2, "b", priority: 1), row(3, "a", priority: 1), row(4, "c", priority: 1)], until: 9,
      renewingBy: 9)
    var order: [Int64] = []
    while let next = next() { order.append(next.lease.number) }
    // A row behind another of its origin waits for that one.
    #expect(order == [2, 4, 1, 3])
  }

  @Test mutating func `a returned row names its origin if that had to be computed`() {
    let (one, two) = (row(1, "a"), row(2, "b"))
    inFlight.take([one, two], until: 9, renewingBy: 9, learned: [two.lease])
    var stopped = state
    stopped.stop()
    let origins = inFlight.waitingOrigins(where: stopped.givesBack)
    #expect(origins == ["a", "b"])
    #expect(origins.map { inFlight.giveBack($0) } == [1, 1])
    #expect(inFlight.beginRecording()?.map(\.origin) == [nil, "b"])
    #expect(inFlight.endRecording() == InFlightRows.Recorded(origins: ["a", "b"], hadLanes: false))
    #expect(inFlight.isEmpty)
  }

  @Test(arguments: [true, false])
  mutating func `a row that was claimed again is sent only if the earlier attempt has not delivered it`(
    isDelivered: Bool
  ) {
    let (one, other) = (row(1, "a"), row(5, "a"))
    var again = one
    again.row.attempts = 2
    again.lease.number = 2
    inFlight.take([one], until: 9, renewingBy: 9)
    _ = next()
    inFlight.take([again, other], until: 90, renewingBy: 90)
    #expect(next() == nil)
    let outcome: FinishedAttempt.Outcome =
      isDelivered
      ? .delivered(response: Data()) : .failed(reason: "", next: .zero, counts: true, wasOffline: false)
    inFlight.end(FinishedAttempt(lease: one.lease, outcome: outcome))
    _ = inFlight.beginRecording()
    #expect(next() == nil)
    #expect(inFlight.endRecording().returned == (isDelivered ? ["a"] : []))
    #expect(next()?.lease == (isDelivered ? other.lease : again.lease))
    #expect(inFlight.beginRecording()?.map(\.lease) == (isDelivered ? [again.lease] : nil))
  }

  @Test mutating func `a row of the lowest possible priority is sent last`() {
    inFlight.take([row(1, "a", priority: .min), row(2, "b", priority: .max)], until: 9, renewingBy: 9)
    #expect(next()?.lease.number == 2)
    #expect(next()?.lease.number == 1)
  }

  @Test mutating func `the contents of sent rows are released while more rows of their origin wait`() {
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
    inFlight.take((1...200).map(sample), until: 9, renewingBy: 9)
    for _ in 0..<150 { _ = next() }
    #expect(released.withLock { $0 } > 60)
  }

  @Test mutating func `a record of ended attempts says whether one was in a lane`() {
    for (row, isLaned) in [(row(1, "a", lane: "x"), true), (row(2, "a"), false)] {
      inFlight.take([row], until: 9, renewingBy: 9)
      _ = next()
      inFlight.end(FinishedAttempt(lease: row.lease, outcome: .returned))
      _ = inFlight.beginRecording()
      #expect(inFlight.endRecording() == InFlightRows.Recorded(origins: ["a"], hadLanes: isLaned))
    }
  }
}
