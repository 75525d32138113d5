import ErrandCore

/// Decides which calls of `enqueue` are admitted at once. A burst of calls waits here, by priority, instead
/// of in the threads of tasks and in the store. Therefore claims, and requests of a higher priority, can pass
/// the burst.
///
/// Every fourth call that enters is the one that has waited longest, whatever its priority. Thus every call
/// enters.
struct EnqueueGateState<Waiter> {
  private struct Waiting {
    let waiter: Waiter
    let rows: Int
    let arrival: Int
  }

  /// The calls of one priority, in the order of their arrival.
  private struct Line {
    private var calls: [Waiting?] = []
    private var next = 0

    var first: Waiting? { next < calls.count ? calls[next] : nil }

    mutating func append(_ call: Waiting) { calls.append(call) }

    mutating func removeFirst() {
      calls[next] = nil
      next += 1
      if next == calls.count {
        calls.removeAll(keepingCapacity: next <= 1024)
        next = 0
      } else if next > 1024, next * 2 > calls.count {
        // A line that is never empty must not grow.
        calls.removeSubrange(..<next)
        next = 0
      }
    }
  }

  /// The most requests of all admitted calls. A call with more requests is admitted alone.
  static var mostRows: Int { 512 }

  private var rows = 0
  private var waiting = 0
  private var arrivals = 0
  private var entered = 0
  private var lines = Priority.allCases.map { _ in Line() }

  /// Admits a call if none waits and there is capacity.
  mutating func enter(rows count: Int) -> Bool {
    guard waiting == 0, fits(count) else { return false }
    rows += count
    return true
  }

  /// Notes that a call waits.
  mutating func wait(_ waiter: Waiter, rows count: Int, _ priority: Priority) {
    lines[Int(priority.rawValue)].append(Waiting(waiter: waiter, rows: count, arrival: arrivals))
    arrivals += 1
    waiting += 1
  }

  /// Notes that a call has ended.
  /// - Returns: The calls that enter now.
  mutating func leave(rows count: Int) -> [Waiter] {
    rows -= count
    var admitted: [Waiter] = []
    while let line = nextLine, let call = lines[line].first, fits(call.rows) {
      lines[line].removeFirst()
      rows += call.rows
      entered += 1
      waiting -= 1
      admitted.append(call.waiter)
    }
    return admitted
  }

  private func fits(_ count: Int) -> Bool { rows == 0 || rows + count <= Self.mostRows }

  /// The line whose first call enters next.
  private var nextLine: Int? {
    let occupied = lines.indices.filter { lines[$0].first != nil }
    guard entered % 4 == 3 else { return occupied.last }
    return occupied.min { (lines[$0].first?.arrival ?? 0) < (lines[$1].first?.arrival ?? 0) }
  }
}
