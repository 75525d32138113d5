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
  /// The bytes of bodies that are held.
  private(set) var bytes = 0
  /// The first call whose bodies have not been dropped, as a place in `order`.
  private var firstWithBodies = 0

  init(_ limits: InspectorLimits) { self.limits = limits }

  var count: Int { records.count }
  /// The calls, oldest first.
  var calls: [CallRecord] { order[first...].compactMap { records[$0] } }
  subscript(id: UInt64) -> CallRecord? { records[id] }

  mutating func take(_ event: CallEvent) {
    let id = event.call
    if case .started = event.kind {
      let record = CallRecord(event, bodyLimit: limits.bodyLength)
      bytes += record.heldBytes
      records[id] = record
      order.append(id)
      makeRoom()
    } else {
      let before = records[id]?.heldBytes ?? 0
      records[id]?.take(event, bodyLimit: limits.bodyLength)
      bytes += (records[id]?.heldBytes ?? 0) - before
    }
    if records[id] != nil { changed.insert(id) }
    while bytes > limits.bodies, firstWithBodies < order.count { dropBodies() }
  }

  /// Forgets all calls that have ended.
  mutating func clear() {
    for id in order[first...] where records[id]?.end != nil { remove(id) }
    order = order[first...].filter { records[$0] != nil }
    (first, firstWithBodies) = (0, 0)
  }

  /// Returns the calls that have changed, at most so many, and those that are gone, since the last time.
  mutating func takeChanges(_ most: Int) -> (changed: [CallRecord], gone: [UInt64]) {
    let ids = changed.sorted().prefix(most)
    changed.subtract(ids)
    defer { gone = [] }
    return (ids.compactMap { records[$0] }, gone)
  }

  private mutating func makeRoom() {
    while records.count > limits.calls {
      remove(order[first])
      first += 1
    }
    guard first > limits.calls else { return }
    order.removeFirst(first)
    firstWithBodies = max(0, firstWithBodies - first)
    first = 0
  }

  private mutating func dropBodies() {
    let id = order[firstWithBodies]
    firstWithBodies += 1
    guard let held = records[id]?.heldBytes, held > 0 else { return }
    records[id]?.dropBodies()
    bytes -= held
  }

  private mutating func remove(_ id: UInt64) {
    guard let record = records.removeValue(forKey: id) else { return }
    bytes -= record.heldBytes
    changed.remove(id)
    gone.append(id)
    // A page that is not open must not make this grow.
    if gone.count > 2 * limits.calls { gone.removeFirst(limits.calls) }
  }
}
