/// The waiting requests, each at a place of its own; the waiting lines link these places.
struct WaiterTable<Payload> {
  struct Waiter {
    var payload: Payload?
    /// The number of the arrival; 0 if the place is free.
    var arrival: UInt64
    var since: Duration
    var priority: Priority
    var origin: Int
    /// The neighbours in the line; for a free place, the next free one.
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
