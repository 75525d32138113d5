/// The calls of a client that have not ended, so that it can be shut down.
final class InFlight: Sendable {
  /// The place of one call.
  struct Place: Sendable {
    fileprivate let inFlight: InFlight
    fileprivate let token: Slab<StopSignal>.Token

    func leave() { inFlight.remove(token) }
  }

  private struct State {
    var calls = Slab<StopSignal>()
    var isClosed = false
    var isStopped = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  init() {}

  var count: Int { state.withLock { $0.calls.count } }

  /// - Parameter isPart: It does the work of a call that is in flight, so it may begin while those finish.
  /// - Throws: The cancelled outcome, if the client has been shut down.
  func add(_ signal: StopSignal, asPart isPart: Bool = false) throws(RequestError) -> Place {
    let token = state.withLock { state in
      let isOpen = !state.isClosed || isPart && !state.isStopped && !state.calls.isEmpty
      return isOpen ? state.calls.insert(signal) : nil
    }
    guard let token else { throw StopSignal.Stop.cancelled(.clientShutDown).error }
    return Place(inFlight: self, token: token)
  }

  private func remove(_ token: Slab<StopSignal>.Token) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.calls.remove(token)
      guard state.calls.isEmpty else { return [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func close() { state.withLock { $0.isClosed = true } }

  /// Nothing begins any more, and what goes on is called off.
  func stopAll(_ stop: StopSignal.Stop) {
    let signals = state.withLock { state in
      state.isStopped = true
      return state.calls.newestFirst
    }
    StopSignal.stop(signals, stop)
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
