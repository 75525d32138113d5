/// Decides whether a request is sent again within its attempt, after its connection delivered no response.
/// Pure.
struct Resends {
  /// The most times that a request is sent again because its server did not process it.
  private static let mostUnprocessed = 3

  /// True from the decision to send the request again until it has a response.
  var isPending = false
  private var unprocessed = 0
  private var hasMetStaleConnection = false
  private var hasReached = false

  /// Decides whether the request is sent again.
  /// - Parameter mayRepeat: True if the server may get the request twice without harm.
  mutating func take(_ error: RequestError, isReplayable: Bool, mayRepeat: Bool) -> Bool {
    guard let reason = error.resend, isReplayable else { return false }
    switch reason {
    case .unprocessed:
      guard unprocessed < Self.mostUnprocessed else { return false }
      unprocessed += 1
    case .staleConnection:
      guard mayRepeat, !hasMetStaleConnection else { return false }
      hasMetStaleConnection = true
    }
    hasReached = hasReached || error.reachedServer
    isPending = true
    return true
  }

  /// Returns the last error. Its `reachedServer` is true if any earlier send of the attempt reached the server,
  /// such as one that led to a redirect.
  func completed(_ error: RequestError, followed: Int) -> RequestError {
    guard followed > 0 || hasReached else { return error }
    var error = error
    error.reachedServer = true
    return error
  }
}

/// The reason why a request without a response may be sent again at once.
public enum ResendReason: Sendable, Hashable {
  /// The server has certainly not processed the request (RFC 9113, section 8.7). It may be sent again,
  /// whatever its method.
  case unprocessed
  /// A reused connection ended without a byte of a response, and the server's system acknowledged no byte of
  /// the request: most likely the server had closed it. A request that may be repeated is sent again, once.
  case staleConnection
}
