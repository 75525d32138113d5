import Synchronization

/// The cancellation of one call. Every reason to cancel the call goes through this token.
package final class CancellationToken: Sendable {
  /// The reason why a call ends without a response.
  package enum Cause: Sendable, Hashable {
    case cancelled(CancellationReason)
    case deadlineExceeded(Duration)
  }

  package typealias Tell = @Sendable () -> Void

  private enum Handler: Sendable {
    case tell(Tell)
    /// Cancels dependent work, and returns the handlers to call afterwards.
    case prepare(@Sendable (Cause) -> [Tell])
  }

  private struct State {
    var stop: Cause?
    var isFinished = false
    var lastID = 0
    // Nearly always there is only one handler, which needs no array.
    var handler: (id: Int, run: Handler)?
    var more: [(id: Int, run: Handler)] = []
  }

  private let state = Locked(State())
  private let sent = Atomic(false)

  package init() {}

  package var cause: Cause? { state.withLock { $0.stop } }

  /// The error of the call, if it is cancelled.
  package var failure: RequestError? { failure(attempts: 0) }

  /// - Parameter attempts: The number of attempts that have ended.
  package func failure(attempts: Int) -> RequestError? {
    cause?.error(attempts: attempts, reachedServer: mayHaveSent)
  }

  /// True once bytes of the call's request may have been sent.
  package var mayHaveSent: Bool { sent.load(ordering: .acquiring) }
  package func markSent() { sent.store(true, ordering: .releasing) }

  /// True once the call is cancelled or has its outcome.
  package var isOver: Bool { state.withLock { $0.stop != nil || $0.isFinished } }

  /// Cancels the call. Only the first reason counts.
  package func cancel(_ reason: Cause) {
    for tell in prepareCancel(reason) { tell() }
  }

  /// Cancels several calls together, in this order.
  package static func cancel(_ cancellations: [CancellationToken], _ reason: Cause) {
    for tell in cancellations.flatMap({ $0.prepareCancel(reason) }) { tell() }
  }

  /// Cancels the call and returns the handlers, which the caller must call. When many calls end together, all
  /// are cancelled before any handler runs. Otherwise a call that is about to end could take a slot that
  /// another releases, or fail because a call that it waits for was cancelled.
  package func prepareCancel(_ reason: Cause) -> [Tell] {
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

  /// Marks the call as finished, just before its response is delivered. It cannot be cancelled afterwards.
  /// - Throws: The error, if the call has been cancelled already.
  package func finish() throws(RequestError) {
    let stop = state.withLock { state in
      state.isFinished = true
      return state.stop
    }
    if let stop { throw stop.error(reachedServer: mayHaveSent) }
  }

  /// Calls `handler` once when the call is cancelled, or at once if it is cancelled already.
  package func onCancel(_ handler: @escaping Tell) -> CancelHandlerID {
    let (id, stop) = add(.tell(handler))
    if stop != nil { handler() }
    return id
  }

  /// Calls `prepare` once when the call is cancelled, before any handler, and then the handlers that it
  /// returns. Does so at once if the call is cancelled already. Use it for dependent work that must end
  /// together with the call.
  package func onCancel(preparing prepare: @escaping @Sendable (Cause) -> [Tell]) -> CancelHandlerID {
    let (id, stop) = add(.prepare(prepare))
    if let stop { for tell in prepare(stop) { tell() } }
    return id
  }

  /// Cancels another token whenever this one is cancelled.
  package func onCancel(stopping other: CancellationToken) -> CancelHandlerID {
    onCancel(preparing: { other.prepareCancel($0) })
  }

  private func add(_ handler: Handler) -> (CancelHandlerID, stop: Cause?) {
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

  package func removeCancelHandler(_ id: CancelHandlerID) {
    state.withLock { state in
      if state.handler?.id == id.rawValue {
        state.handler = nil
      } else {
        state.more.removeAll { $0.id == id.rawValue }
      }
    }
  }

  /// - Throws: The error, if the call has been cancelled.
  package func check() throws(RequestError) {
    if let failure { throw failure }
  }
}

extension CancellationToken {
  /// Cancels a second attempt that is not allowed, and returns its error.
  /// - Parameter reason: The reason, for events.
  func refused(_ reason: String) -> RequestError {
    cancel(.cancelled(.other(reason)))
    // It may have been cancelled for another reason before.
    return failure ?? Cause.cancelled(.other(reason)).error(reachedServer: false)
  }
}

extension CancellationToken.Cause {
  package func error(attempts: Int = 0, reachedServer: Bool) -> RequestError {
    switch self {
    case .cancelled(let reason): RequestError(reason, attempt: attempts, reachedServer: reachedServer)
    case .deadlineExceeded(let deadline):
      RequestError(
        .deadlineExceeded,
        message: "no complete response within the deadline of \(deadline.formattedSeconds)",
        attempt: attempts, reachedServer: reachedServer)
    }
  }
}

/// Identifies a handler that was passed to `Exchange.onCancel`.
public struct CancelHandlerID: Sendable, Hashable {
  let rawValue: Int
}

extension CancellationToken {
  /// Runs users' code in a task. When the call is cancelled, the task is cancelled, and the caller gets the
  /// error at once, even if the task continues.
  /// - Parameter late: Receives the value of a task that continued.
  package func interrupting<Value: Sendable>(
    late: @escaping @Sendable (Value) -> Void = { _ in }, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let first = Promise<Value>()
    let task = Task {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
      if !first.settle(outcome), case .success(let value) = outcome { late(value) }
    }
    let id = onCancel { [weak self] in
      // In this order, because a cancelled task may throw at once, and its error would become the outcome.
      if let failure = self?.failure { first.settle(.failure(failure)) }
      task.cancel()
    }
    defer { removeCancelHandler(id) }
    return try await first.settled().get()
  }
}

extension CancellationToken {
  /// - Throws: `RequestError` (`cancelled`), if the current task is cancelled.
  package static func checkTask() throws(RequestError) {
    if Task.isCancelled { throw Cause.cancelled(.taskCancelled).error(reachedServer: false) }
  }

  /// Runs `work` with a token that is cancelled when the current task is cancelled.
  package static func ofTask<Value>(_ work: (CancellationToken) async throws -> Value) async rethrows -> Value
  {
    let cancellation = CancellationToken()
    return try await withTaskCancellationHandler {
      try await work(cancellation)
    } onCancel: {
      cancellation.cancel(.cancelled(.taskCancelled))
    }
  }
}

/// The reason why a request was cancelled.
public enum CancellationReason: Sendable, Hashable, CustomStringConvertible {
  /// The task that waited for the request was cancelled.
  case taskCancelled
  /// The request's scope ended, or cancelled everything in it. Holds the scope's name.
  case scopeEnded(String)
  /// A newer request replaced this one.
  case superseded
  /// The request's `Call` was cancelled.
  case callCancelled
  /// The client was shut down.
  case clientShutDown
  /// The request was shared, and all callers that waited for it left.
  case abandoned
  /// The last reference to the stream of the response's body was released.
  case streamDropped
  /// The identity that the request was sent for signed out, or must sign in again.
  case signedOut
  /// Another attempt of the same request got a response first (``Request/hedged(after:)-(HedgeDelay)``). Only events report this
  /// reason.
  case overtaken
  /// Any other reason, as text.
  case other(String)

  public var description: String {
    switch self {
    case .taskCancelled: "the task that waited for it was cancelled"
    case .scopeEnded(let name): name.isEmpty ? "its scope ended" : "its scope \(name.debugDescription) ended"
    case .superseded: "a newer request replaced it"
    case .callCancelled: "its call was cancelled"
    case .clientShutDown: "the client was shut down"
    case .abandoned: "all callers that waited for it left"
    case .streamDropped: "the stream of its body was released"
    case .signedOut: "its identity signed out"
    case .overtaken: "another attempt got a response first"
    case .other(let reason): reason
    }
  }
}

extension Error {
  /// True for an error that only reports a cancellation, so that it need not be shown: `RequestError` with the
  /// code `cancelled`, Swift's `CancellationError`, and URLSession's `cancelled`.
  public var isCancellation: Bool {
    if let error = self as? RequestError { return error.code == .cancelled }
    if self is CancellationError { return true }
    return _domain == "NSURLErrorDomain" && _code == -999
  }
}
