/// The right to be on the wire. It is released once.
struct Slot: Sendable, Hashable {
  /// The origin's place in the table of origins.
  let origin: Int
  let isSeen: Bool

  /// The slot of a request that proceeds without one.
  static let none = Slot(origin: -1, isSeen: false)
}

/// The limits as plain numbers: nil is replaced by the largest number, and the reserved slots are subtracted.
struct SlotBounds: Sendable, Hashable {
  let total: Int
  /// The slots of `total` that `utility` and `background` may use.
  let unseen: Int
  let perOrigin: Int
  let perOriginUnseen: Int
  /// For each priority, how much later a request is due than one of the highest priority.
  let delays: [Duration]

  init(_ limits: ConcurrencyLimits) {
    func unseen(of limit: Int?) -> Int { limit.map { max(1, max(1, $0) - max(0, limits.reserved)) } ?? .max }
    total = limits.total.map { max(1, $0) } ?? .max
    self.unseen = unseen(of: limits.total)
    perOrigin = limits.perOrigin.map { max(1, $0) } ?? .max
    perOriginUnseen = unseen(of: limits.perOrigin)
    let ageing = max(.zero, min(limits.ageing, .longest))
    delays = Priority.allCases.map { ageing * (Priority.levels - 1 - $0.level) }
  }
}

/// Identifies a waiting request until it starts or leaves.
struct Ticket: Sendable, Hashable {
  let place: Int
  /// The arrival number, which distinguishes the request from a later one at the same place.
  let arrival: UInt64
}

/// The numbers of running and waiting requests, for tests and tools.
package struct SlotLoad: Sendable, Hashable {
  package internal(set) var running = 0
  var waitingByLevel = [Int](repeating: 0, count: Priority.levels)

  package var waiting: Int { waitingByLevel.reduce(0, +) }
  package func waiting(_ priority: Priority) -> Int { waitingByLevel[priority.level] }
}

extension Priority {
  /// True if requests of this priority may use every slot, including the reserved ones.
  var isSeen: Bool { self >= .default }

  /// The index of the priority's lines.
  var level: Int { Int(rawValue) }
  static let levels = allCases.count
}

/// The slot of a stream that interceptors still hold. Once the stream is handed over to the caller, the slot
/// is kept until the stream ends. Before that, the slot is released when the interceptors send another
/// request, or take long: they may wait for a request that needs a slot.
final class SlotLease: Sendable {
  /// How long interceptors may hold a stream before its slot is released for others.
  static let patience = Duration.milliseconds(100)

  private struct State {
    var slot: Slot?
    var isHandedOver = false
    var timer: Task<Void, any Error>?
  }

  private let slots: Slots
  /// The token that cancels the stream.
  private let cancellation: CancellationToken
  private let state: Locked<State>

  init(_ slot: Slot, of cancellation: CancellationToken, _ slots: Slots, _ timeline: Timeline) {
    self.slots = slots
    self.cancellation = cancellation
    state = Locked(State(slot: slot))
    let timer = Task { [weak self] in
      try await timeline.sleep(Self.patience)
      self?.giveUp()
    }
    state.withLock { $0.timer = timer }
  }

  /// Releases the slot when the stream has ended.
  func release() {
    let (slot, timer) = state.withLock { state in
      defer { (state.slot, state.timer) = (nil, nil) }
      return (state.slot, state.timer)
    }
    timer?.cancel()
    if let slot { slots.release(slot) }
  }

  /// Releases the slot, unless the stream was handed over to the caller, or is cancelled and about to leave
  /// the wire.
  func giveUp() {
    if cancellation.cause == nil, !state.withLock({ $0.isHandedOver }) { release() }
  }

  /// Keeps the slot until the stream ends, because the caller has the stream.
  func handOver() {
    let timer = state.withLock { state in
      state.isHandedOver = true
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
  }
}
