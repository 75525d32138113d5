/// The pass of an attempt that may still wait: to be signed, or for a slot. The last stage notes when it begins.
final class HeldPass: Sendable {
  private enum State {
    case held
    /// An app's code runs for the attempt. It may send a request that needs the token.
    case released
    case begun
  }

  let pass: RatePass
  private let limiter: RateLimiter
  private let state = Locked(State.held)

  init(_ pass: RatePass, of limiter: RateLimiter) {
    self.pass = pass
    self.limiter = limiter
  }

  var hasBegun: Bool { state.withLock { $0 == .begun } }

  /// Notes that a request of the attempt is about to be sent. Only the first one counts.
  func begin() {
    if change(to: .begun) == .held { limiter.begin(pass) }
  }

  /// Lets the tokens come back while an app's code runs.
  func release() {
    if change(to: .released) == .held { limiter.begin(pass) }
  }

  /// Ends `release`.
  func holdAgain() {
    if change(to: .held) == .released { limiter.holdAgain(pass) }
  }

  /// Changes the state, unless the attempt has begun. Returns the state before.
  private func change(to new: State) -> State {
    state.withLock { state in
      defer { if state != .begun { state = new } }
      return state
    }
  }
}
