/// The calls of a client that have not ended, which a shutdown waits for and cancels.
final class InFlight: Sendable {
  /// The entry of one call.
  struct Place: Sendable {
    fileprivate let inFlight: InFlight
    fileprivate let token: Slab<CancellationToken>.Token

    func leave() { inFlight.remove(token) }
  }

  private struct State {
    var calls = Slab<CancellationToken>()
    var isClosed = false
    var isStopped = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  init() {}

  var count: Int { state.withLock { $0.calls.count } }

  /// Adds a call.
  /// - Parameter isPart: True if the call does work for a call in flight, so that it may begin while those
  ///   finish.
  /// - Throws: `RequestError` (`cancelled`), if the client has been shut down.
  func add(_ cancellation: CancellationToken, asPart isPart: Bool = false) throws(RequestError) -> Place {
    let token = state.withLock { state in
      let isOpen = !state.isClosed || isPart && !state.isStopped && !state.calls.isEmpty
      return isOpen ? state.calls.insert(cancellation) : nil
    }
    guard let token else {
      throw CancellationToken.Cause.cancelled(.clientShutDown).error(reachedServer: false)
    }
    return Place(inFlight: self, token: token)
  }

  private func remove(_ token: Slab<CancellationToken>.Token) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.calls.remove(token)
      guard state.calls.isEmpty else { return [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func close() { state.withLock { $0.isClosed = true } }

  /// Cancels the calls in flight. No other call can begin afterwards.
  func cancelAll(_ stop: CancellationToken.Cause) {
    let cancellations = state.withLock { state in
      state.isStopped = true
      return state.calls.newestFirst
    }
    CancellationToken.cancel(cancellations, stop)
  }

  func whenEmpty() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.calls.isEmpty { state.waiters.append(continuation) }
        return state.calls.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }
}
