/// The calls of a client that have not ended, so that it can be shut down.
final class InFlight: Sendable {
  private struct State {
    var calls: [ObjectIdentifier: Call] = [:]
    var isClosed = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  init() {}

  /// - Throws: The cancelled outcome, if the client has been shut down.
  func add(_ call: Call) throws(RequestError) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.calls[ObjectIdentifier(call)] = call }
      return state.isClosed
    }
    if isClosed {
      call.stop(.cancelled(.clientShutDown))
      try call.check()
    }
  }

  func remove(_ call: Call) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.calls[ObjectIdentifier(call)] = nil
      guard state.calls.isEmpty else { return [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func close() { state.withLock { $0.isClosed = true } }

  func stopAll(_ stop: Call.Stop) {
    for call in state.withLock({ Array($0.calls.values) }) { call.stop(stop) }
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
