/// The slot of a stream that interceptors have in hand. The caller has the stream, and its slot, once it is handed over;
/// before that it is given up when the interceptors ask again, or take long: what they wait for may wait for a slot.
final class SlotLease: Sendable {
  /// How long interceptors may take before they hold up others.
  static let patience = Duration.milliseconds(100)

  private struct State {
    var slot: Slot?
    var isHandedOver = false
    var timer: Task<Void, any Error>?
  }

  private let slots: Slots
  /// What the stream is called off with.
  private let signal: StopSignal
  private let state: Locked<State>

  init(_ slot: Slot, of signal: StopSignal, _ slots: Slots, _ timeline: Timeline) {
    self.slots = slots
    self.signal = signal
    state = Locked(State(slot: slot))
    let timer = Task { [weak self] in
      try await timeline.sleep(Self.patience)
      self?.giveUp()
    }
    state.withLock { $0.timer = timer }
  }

  /// The stream has ended.
  func release() {
    let (slot, timer) = state.withLock { state in
      defer { (state.slot, state.timer) = (nil, nil) }
      return (state.slot, state.timer)
    }
    timer?.cancel()
    if let slot { slots.release(slot) }
  }

  /// Releases it, unless the caller has the stream already, or nobody has: then it is about to leave the wire.
  func giveUp() {
    if signal.stopped == nil, !state.withLock({ $0.isHandedOver }) { release() }
  }

  func handOver() {
    let timer = state.withLock { state in
      state.isHandedOver = true
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
  }
}
