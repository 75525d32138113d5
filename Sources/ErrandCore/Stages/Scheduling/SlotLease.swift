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
