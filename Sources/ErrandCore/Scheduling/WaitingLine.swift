/// Those of one origin and one priority, in the order of their arrival. Nearly all come in that order and are linked in a
/// list; one that was raised past others has its place between them, which a set finds.
struct WaitingLine {
  private var first = -1
  private var last = -1
  private var raised = ArrivalSet()
  /// The arrival under which the line is known to those who choose; 0 if it may not be chosen from.
  var announced: UInt64 = 0

  /// The place of the earliest.
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
