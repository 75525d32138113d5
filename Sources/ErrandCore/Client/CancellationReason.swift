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
