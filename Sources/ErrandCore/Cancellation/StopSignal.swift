/// One call in flight: the one place where it is called off, whoever asks for it.
final class StopSignal: Sendable {
  /// Why a call ends before its answer.
  enum Stop: Sendable, Hashable {
    case cancelled(CancellationReason)
    case deadlineExceeded(Duration)
  }

  typealias Tell = @Sendable () -> Void

  private enum Handler: Sendable {
    case tell(Tell)
    /// Calls off what goes on for this call's sake, and returns whom to tell.
    case prepare(@Sendable (Stop) -> [Tell])
  }

  private struct State {
    var stop: Stop?
    var isFinished = false
    var lastID = 0
    // Nearly always there is one handler, so that one needs no array.
    var handler: (id: Int, run: Handler)?
    var more: [(id: Int, run: Handler)] = []
  }

  private let state = Locked(State())

  init() {}

  var stopped: Stop? { state.withLock { $0.stop } }
  /// True once it is stopped or has its outcome.
  var isOver: Bool { state.withLock { $0.stop != nil || $0.isFinished } }

  /// Calls it off. The first reason counts; later ones do nothing.
  func stop(_ reason: Stop) {
    for tell in prepareStop(reason) { tell() }
  }

  /// Calls several off together, in this order.
  static func stop(_ signals: [StopSignal], _ reason: Stop) {
    for tell in signals.flatMap({ $0.prepareStop(reason) }) { tell() }
  }

  /// Calls it off, and leaves it to the caller to tell those who have to hear of it. Of many that end together, all are
  /// called off before any is told: or what one gives up, a slot, would be taken by another that is about to end, and one
  /// that waits for another would fail with it.
  func prepareStop(_ reason: Stop) -> [Tell] {
    let handlers = state.withLock { state -> [Handler] in
      guard state.stop == nil, !state.isFinished else { return [] }
      state.stop = reason
      defer {
        state.handler = nil
        state.more = []
      }
      return (state.handler.map { [$0.run] } ?? []) + state.more.map(\.run)
    }
    return handlers.flatMap { handler in
      switch handler {
      case .tell(let tell): [tell]
      case .prepare(let prepare): prepare(reason)
      }
    }
  }

  /// Its answer is about to be handed over, unless it has been called off before: then throws. From here on it cannot be.
  func finish() throws(RequestError) {
    let stop = state.withLock { state in
      state.isFinished = true
      return state.stop
    }
    if let stop { throw stop.error }
  }

  /// Calls `handler` once when the call is called off; at once if it has been.
  func onStop(_ handler: @escaping Tell) -> CancelHandlerID {
    let (id, stop) = add(.tell(handler))
    if stop != nil { handler() }
    return id
  }

  /// Calls `prepare` once when the call is called off, before anybody is told, and then what that returns; at once if it
  /// has been. For what goes on for this call's sake, and has to end together with it.
  func onStop(preparing prepare: @escaping @Sendable (Stop) -> [Tell]) -> CancelHandlerID {
    let (id, stop) = add(.prepare(prepare))
    if let stop { for tell in prepare(stop) { tell() } }
    return id
  }

  /// Stops another together with this one.
  func onStop(stopping other: StopSignal) -> CancelHandlerID {
    onStop(preparing: { other.prepareStop($0) })
  }

  private func add(_ handler: Handler) -> (CancelHandlerID, stop: Stop?) {
    state.withLock { state in
      guard state.stop == nil else { return (CancelHandlerID(rawValue: 0), state.stop) }
      state.lastID += 1
      if state.handler == nil {
        state.handler = (state.lastID, handler)
      } else {
        state.more.append((state.lastID, handler))
      }
      return (CancelHandlerID(rawValue: state.lastID), nil)
    }
  }

  func removeStopHandler(_ id: CancelHandlerID) {
    state.withLock { state in
      if state.handler?.id == id.rawValue {
        state.handler = nil
      } else {
        state.more.removeAll { $0.id == id.rawValue }
      }
    }
  }

  /// Throws if it has been called off.
  func check() throws(RequestError) {
    if let stop = stopped { throw stop.error }
  }
}

extension StopSignal.Stop {
  var error: RequestError { error(tries: 0) }

  func error(tries: Int) -> RequestError {
    switch self {
    case .cancelled(let reason): RequestError(reason, attempt: tries)
    case .deadlineExceeded(let deadline):
      RequestError(
        .deadlineExceeded, message: "no answer within the deadline of \(deadline.formattedSeconds)",
        attempt: tries, reachedServer: true)
    }
  }
}
