import ErrandCore

/// The newest calls of a client, within limits. Pure: events go in, the calls that have changed come out.
struct CallStore: Sendable {
  private let limits: InspectorLimits
  private var records: [UInt64: CallRecord] = [:]
  /// The calls in the order in which they came; the first may be gone.
  private var order: [UInt64] = []
  private var first = 0
  private var changed: Set<UInt64> = []
  private var gone: [UInt64] = []
  /// True if there were too many to say which.
  private var hasLostGone = false
  /// The bytes of bodies, URLs and fields that are held.
  private(set) var bytes = 0
  /// What is held, oldest first: calls, each with its stamp. One whose stamp is newer has a later place.
  private var held: [(id: UInt64, stamp: Int)] = []
  private var firstHeld = 0
  private var stamps = 0

  init(_ limits: InspectorLimits) { self.limits = limits }

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
      // In its place: a record is large, and there are many events.
      guard let index = records.index(forKey: id) else { return }
      let growth = Self.take(event, into: &records.values[index], limits)
      if growth > 0 { records.values[index].stamp = hold(id) }
      bytes += growth
      changed.insert(id)
    }
    while bytes > limits.bodies, firstHeld < held.count { dropOldest() }
  }

  /// - Returns: The bytes by which the record has grown.
  private static func take(
    _ event: CallEvent, into record: inout CallRecord, _ limits: InspectorLimits
  ) -> Int {
    let before = record.heldBytes
    record.take(event, bodyLimit: limits.bodyLength)
    return record.heldBytes - before
  }

  /// Forgets all calls that have ended.
  mutating func clear() {
    for id in order[first...] where records[id]?.end != nil { remove(id) }
    order = order[first...].filter { records[$0] != nil }
    first = 0
  }

  /// What has changed since the last time.
  enum Changes: Sendable {
    /// Calls that have changed, and those that are gone.
    case some([CallRecord], gone: [UInt64])
    /// So many are gone that these are all there are.
    case all([CallRecord])
  }

  /// - Parameter most: The most calls that have changed; the others are told the next time.
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

  /// Gives a call the last place among those that are held.
  /// - Returns: Its stamp.
  private mutating func hold(_ id: UInt64) -> Int {
    stamps += 1
    // Each call has one place that counts.
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
    // A page that is not open must not make this grow.
    if gone.count > 2 * limits.calls { (gone, hasLostGone) = ([], true) }
  }
}
