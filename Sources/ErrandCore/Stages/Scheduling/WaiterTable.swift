/// The waiting requests, each at its place. The waiting lines link these places.
struct WaiterTable<Payload> {
  struct Waiter {
    var payload: Payload?
    /// The number of the arrival; 0 if the place is free.
    var arrival: UInt64
    var since: Duration
    var priority: Priority
    var origin: Int
    /// The neighbours in the line. For a free place, `next` is the next free one.
    var previous = -1
    var next = -1
    /// True if the request is in its line's set, not in its list.
    var isRaised = false
  }

  /// The capacity above which an empty table releases its memory.
  private static var reservedCapacity: Int { 1024 }

  private var waiters: [Waiter] = []
  private var firstFree = -1
  private var lastArrival: UInt64 = 0
  private(set) var count = 0

  subscript(place: Int) -> Waiter {
    _read { yield waiters[place] }
    _modify { yield &waiters[place] }
  }

  func place(of ticket: Ticket) -> Int? {
    guard ticket.place < waiters.count, waiters[ticket.place].arrival == ticket.arrival else { return nil }
    return ticket.place
  }

  mutating func insert(_ payload: Payload, since: Duration, priority: Priority, origin: Int) -> Ticket {
    count += 1
    lastArrival += 1
    let waiter = Waiter(
      payload: payload, arrival: lastArrival, since: since, priority: priority, origin: origin)
    guard firstFree >= 0 else {
      waiters.append(waiter)
      return Ticket(place: waiters.count - 1, arrival: lastArrival)
    }
    let place = firstFree
    firstFree = waiters[place].next
    waiters[place] = waiter
    return Ticket(place: place, arrival: lastArrival)
  }

  mutating func remove(_ place: Int) -> Payload? {
    let payload = waiters[place].payload
    count -= 1
    if count == 0, waiters.count > Self.reservedCapacity {
      waiters = []
      firstFree = -1
    } else {
      waiters[place].payload = nil
      waiters[place].arrival = 0
      waiters[place].next = firstFree
      firstFree = place
    }
    return payload
  }
}

extension WaiterTable: Sendable where Payload: Sendable {}
extension WaiterTable.Waiter: Sendable where Payload: Sendable {}

/// The waiting requests of one origin and one priority, in the order of their arrival. Nearly all arrive in
/// that order and are linked in a list. A request that was raised past others is found through a set.
struct WaitingLine {
  private var first = -1
  private var last = -1
  private var raised = ArrivalSet()
  /// The arrival number under which the scheduler has the line's head; 0 if the scheduler may not choose the
  /// line.
  var announced: UInt64 = 0

  /// Returns the place of the earliest request.
  func head<Payload>(in waiters: borrowing WaiterTable<Payload>) -> Int? {
    guard let early = raised.first else { return first < 0 ? nil : first }
    return first < 0 || waiters[early].arrival < waiters[first].arrival ? early : first
  }

  mutating func insert<Payload>(_ place: Int, in waiters: inout WaiterTable<Payload>) {
    let arrival = waiters[place].arrival
    guard last < 0 || waiters[last].arrival < arrival else {
      waiters[place].isRaised = true
      raised.insert(arrival, place: place)
      return
    }
    waiters[place].isRaised = false
    waiters[place].previous = last
    waiters[place].next = -1
    if last < 0 { first = place } else { waiters[last].next = place }
    last = place
  }

  mutating func remove<Payload>(_ place: Int, in waiters: inout WaiterTable<Payload>) {
    if waiters[place].isRaised {
      raised.remove(waiters[place].arrival)
      return
    }
    let (previous, next) = (waiters[place].previous, waiters[place].next)
    if previous < 0 { first = next } else { waiters[previous].next = next }
    if next < 0 { last = previous } else { waiters[next].previous = previous }
  }
}
