/// One call in flight: the one place where it is called off, whoever asks for it.
final class Call: Sendable {
  /// Why a call ends before its answer.
  enum Stop: Sendable, Hashable {
    case cancelled(CancellationReason)
    case deadlineExceeded(Duration)
  }

  private struct State {
    var stop: Stop?
    var lastID = 0
    // Nearly always there is one handler, so that one needs no array.
    var handler: (id: Int, run: @Sendable () -> Void)?
    var more: [(id: Int, run: @Sendable () -> Void)] = []
  }

  private let state = Locked(State())

  init() {}

  var stopped: Stop? { state.withLock { $0.stop } }

  /// Calls it off. The first reason counts; later ones do nothing.
  func stop(_ reason: Stop) {
    let handlers = state.withLock { state -> [@Sendable () -> Void] in
      guard state.stop == nil else { return [] }
      state.stop = reason
      defer {
        state.handler = nil
        state.more = []
      }
      return (state.handler.map { [$0.run] } ?? []) + state.more.map(\.run)
    }
    for handler in handlers { handler() }
  }

  /// Calls `handler` once when the call is called off; at once if it has been.
  func onStop(_ handler: @escaping @Sendable () -> Void) -> CancelHandlerID {
    let id: Int? = state.withLock { state in
      guard state.stop == nil else { return nil }
      state.lastID += 1
      if state.handler == nil {
        state.handler = (state.lastID, handler)
      } else {
        state.more.append((state.lastID, handler))
      }
      return state.lastID
    }
    if id == nil { handler() }
    return CancelHandlerID(rawValue: id ?? 0)
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

extension Call.Stop {
  func error(tries: Int) -> RequestError {
    var error = error
    error.attempt = tries
    return error
  }

  var error: RequestError {
    switch self {
    case .cancelled(let reason):
      RequestError(
        .cancelled, message: "called off: \(reason)", reachedServer: true, cancellation: reason)
    case .deadlineExceeded(let deadline):
      RequestError(
        .deadlineExceeded, message: "no answer within the deadline of \(deadline.formattedSeconds)",
        reachedServer: true)
    }
  }
}
