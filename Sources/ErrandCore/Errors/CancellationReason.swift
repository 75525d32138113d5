/// Why a request was called off.
public enum CancellationReason: Sendable, Hashable, CustomStringConvertible {
  /// The task that waited for it was cancelled.
  case taskCancelled
  /// Its scope ended, or called off everything in it. Holds the scope's name.
  case scopeEnded(String)
  /// A newer request took its place.
  case superseded
  /// Its `Call` was cancelled.
  case callCancelled
  /// The client was shut down.
  case clientShutDown
  /// It was shared, and everyone who waited for it left.
  case abandoned
  /// Nobody held the stream of its body any more.
  case streamDropped
  /// Somebody's own reason.
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
    case .other(let reason): reason
    }
  }
}
