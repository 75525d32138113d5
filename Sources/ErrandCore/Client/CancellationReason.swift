/// The reason why a request was cancelled.
public enum CancellationReason: Sendable, Hashable, CustomStringConvertible {
  /// The task that waited for the request was cancelled.
  case taskCancelled
  /// The request's scope ended, or cancelled everything in it. Holds the scope's name.
  case scopeEnded(String)
  /// A newer request took the request's place.
  case superseded
  /// The request's `Call` was cancelled.
  case callCancelled
  /// The client was shut down.
  case clientShutDown
  /// The request was shared, and every caller that waited for it left.
  case abandoned
  /// The last reference to the stream of the response's body was released.
  case streamDropped
  /// The identity that the request was sent for signed out, or has to sign in again.
  case signedOut
  /// Any other reason, as text.
  case other(String)

  public var description: String {
    switch self {
    case .taskCancelled: "the task that waited for it was cancelled"
    case .scopeEnded(let name): name.isEmpty ? "its scope ended" : "its scope \(name.debugDescription) ended"
    case .superseded: "a newer request took its place"
    case .callCancelled: "it was cancelled by hand"
    case .clientShutDown: "the client was shut down"
    case .abandoned: "everyone who waited for it left"
    case .streamDropped: "nobody held the stream of its body any more"
    case .signedOut: "its identity signed out"
    case .other(let reason): reason
    }
  }
}

extension Error {
  /// True for an error that only says that the request is not wanted any more, so that there is nothing to
  /// report: Errand's own cancelled outcome, Swift's `CancellationError`, and URLSession's `cancelled`.
  public var isCancellation: Bool {
    if let error = self as? RequestError { return error.code == .cancelled }
    if self is CancellationError { return true }
    return _domain == "NSURLErrorDomain" && _code == -999
  }
}
