import ErrandCore

/// The newest calls of a client, within limits. Pure: it takes events and returns the changed calls.
struct CallStore: Sendable {
  private let limits: Inspector.Limits
  private var records: [UInt64: CallRecord] = [:]
  /// The IDs of the calls in the order of their beginnings. Those before `first` are removed.
  private var order: [UInt64] = []
  private var first = 0
  private var changed: Set<UInt64> = []
  private var gone: [UInt64] = []
  /// True if more calls were removed than `gone` can list.
  private var hasLostGone = false
  /// The size in bytes of the kept bodies, URLs and header fields.
  private(set) var bytes = 0
  /// The calls with kept contents, oldest first. Only the entry with the call's current stamp counts.
  private var held: [(id: UInt64, stamp: Int)] = []
  private var firstHeld = 0
  private var stamps = 0

  init(_ limits: Inspector.Limits) { self.limits = limits }

  var count: Int { records.count }
  /// The calls, oldest first.
  var calls: [CallRecord] { order[first...].compactMap { records[$0] } }
  subscript(id: UInt64) -> CallRecord? { records[id] }

  mutating func take(_ event: CallEvent) {
    let id = event.call
    if case .started = event.kind {
      var record = CallRecord(event, bodyLimit: limits.bodyLength)
      let growth = record.heldBytes
      if growth > 0 { record.stamp = hold(id) }
      bytes += growth
      records[id] = record
      changed.insert(id)
      order.append(id)
      makeRoom()
    } else {
      // The record changes in place, because it is large and events are many.
      guard let index = records.index(forKey: id) else { return }
      let growth = Self.take(event, into: &records.values[index], limits)
      if growth > 0 { records.values[index].stamp = hold(id) }
      bytes += growth
      changed.insert(id)
    }
    while bytes > limits.bodies, firstHeld < held.count { dropOldest() }
  }

  /// - Returns: The growth of the record in bytes.
  private static func take(
    _ event: CallEvent, into record: inout CallRecord, _ limits: Inspector.Limits
  ) -> Int {
    let before = record.heldBytes
    record.take(event, bodyLimit: limits.bodyLength)
    return record.heldBytes - before
  }

  /// Removes all calls that have ended.
  mutating func clear() {
    for id in order[first...] where records[id]?.end != nil { remove(id) }
    order = order[first...].filter { records[$0] != nil }
    first = 0
  }

  /// The changes since they were last taken.
  enum Changes: Sendable {
    /// The changed calls, and the IDs of the removed ones.
    case some([CallRecord], gone: [UInt64])
    /// All remaining calls, if too many were removed to list them.
    case all([CallRecord])
  }

  /// Returns the changes since the last call of this method.
  /// - Parameter most: The greatest number of changed calls to return. The next call returns the others.
  mutating func takeChanges(_ most: Int) -> Changes {
    defer { (gone, hasLostGone) = ([], false) }
    if hasLostGone {
      changed = []
      return .all(calls)
    }
    let ids = changed.sorted().prefix(most)
    changed.subtract(ids)
    return .some(ids.compactMap { records[$0] }, gone: gone)
  }

  private mutating func makeRoom() {
    while records.count > limits.calls {
      remove(order[first])
      first += 1
    }
    guard first > limits.calls else { return }
    order.removeFirst(first)
    first = 0
  }

  /// Moves a call to the end of the calls with kept contents.
  /// - Returns: Its new stamp.
  private mutating func hold(_ id: UInt64) -> Int {
    stamps += 1
    // This removes outdated entries, because only one entry of each call counts.
    if held.count > 4 * limits.calls + 100 {
      held = held[firstHeld...].filter { records[$0.id]?.stamp == $0.stamp }
      firstHeld = 0
    }
    held.append((id, stamps))
    return stamps
  }

  private mutating func dropOldest() {
    let (id, stamp) = held[firstHeld]
    firstHeld += 1
    guard let record = records[id], record.stamp == stamp else { return }
    records[id]?.dropContents()
    bytes -= record.heldBytes
  }

  private mutating func remove(_ id: UInt64) {
    guard let record = records.removeValue(forKey: id) else { return }
    bytes -= record.heldBytes
    changed.remove(id)
    if hasLostGone { return }
    gone.append(id)
    // While no page takes the changes, this list must not grow without a limit.
    if gone.count > 2 * limits.calls { (gone, hasLostGone) = ([], true) }
  }
}
