/// The waiting requests of one origin and one priority, in the order of their arrival. Nearly all arrive in
/// that order and are linked in a list; a request that was raised past others is found through a set.
struct WaitingLine {
  private var first = -1
  private var last = -1
  private var raised = ArrivalSet()
  /// The arrival under which the scheduler has the line's head; 0 if the line may not be chosen.
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
