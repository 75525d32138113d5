/// Decides whether a request is sent again at once, within its attempt, because its connection brought no response. Pure.
struct Resends {
  /// The most times that a server may leave one request unprocessed.
  private static let mostUnprocessed = 3

  /// True from the decision to send the request again until it has a response.
  var isPending = false
  private var unprocessed = 0
  private var hasMetStaleConnection = false
  private var hasReached = false

  /// Decides whether the request is sent again.
  /// - Parameter mayRepeat: True if it does no harm if the server gets the request twice.
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

  /// Returns the error of the last time, as one of them all: the server that sent a redirect has seen the request.
  func completed(_ error: RequestError, followed: Int) -> RequestError {
    guard followed > 0 || hasReached else { return error }
    var error = error
    error.reachedServer = true
    return error
  }
}
