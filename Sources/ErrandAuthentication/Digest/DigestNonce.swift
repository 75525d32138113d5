import ErrandCore

/// A server's challenge, and the uses of its nonce.
final class DigestNonce: Sendable {
  struct Use: Sendable {
    let nonce: String
    let count: UInt32
    let clientNonce: String
  }

  private struct State {
    var nonce: String
    var count: UInt32 = 0
    /// True once a server has accepted the user and the password.
    var wasAccepted = false
  }

  let challenge: DigestChallenge
  /// The client's nonce for the whole session, which is part of the user's secret (`-sess`).
  let sessionNonce: String
  private let state: Locked<State>

  init(_ challenge: DigestChallenge, sessionNonce: String) {
    self.challenge = challenge
    self.sessionNonce = sessionNonce
    state = Locked(State(nonce: challenge.nonce))
  }

  /// Returns the nonce, and the number of this use of it.
  /// - Parameter clientNonce: A nonce for this use.
  func use(_ clientNonce: @autoclosure () -> String) -> Use {
    let (nonce, count) = state.withLock { state in
      state.count &+= 1
      return (state.nonce, state.count)
    }
    return Use(
      nonce: nonce, count: count, clientNonce: challenge.isSession ? sessionNonce : clientNonce())
  }

  /// Handles the head of a response to a request that was sent with the nonce.
  func received(_ response: ResponseHead) {
    if response.status != 401 { state.withLock { $0.wasAccepted = true } }
    guard let info = response.fields["Authentication-Info"],
      let next = Challenge.all(in: ["Digest \(info)"]).first?.parameters["nextnonce"], !ASCII.hasControl(next)
    else { return }
    state.withLock { state in
      guard state.nonce != next else { return }
      (state.nonce, state.count) = (next, 0)
    }
  }

  /// True if a challenge is about this nonce, so that its uses continue to be counted.
  func isNonce(of other: DigestChallenge) -> Bool {
    let nonce = state.withLock { $0.nonce }
    return other.nonce == nonce && other.realm == challenge.realm && other.hash == challenge.hash
      && other.isSession == challenge.isSession && other.qualities == challenge.qualities
  }

  /// True if a server that refused the nonce may accept the user and the password with its new challenge's
  /// nonce.
  func mayMeet(_ next: DigestChallenge) -> Bool {
    // Otherwise, the user or the password is wrong. A server that has accepted them before has forgotten the nonce.
    next.isStale || next.realm != challenge.realm || state.withLock { $0.wasAccepted }
  }
}
