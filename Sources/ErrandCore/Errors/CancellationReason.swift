/// Why a request was called off.
public enum CancellationReason: Sendable, Hashable, CustomStringConvertible {
  /// The task that waited for it was cancelled.
  case taskCancelled
  /// The client was shut down.
  case clientShutDown
  /// Nobody held the stream of its body any more.
  case streamDropped

  public var description: String {
    switch self {
    case .taskCancelled: "the task that waited for it was cancelled"
    case .clientShutDown: "the client was shut down"
    case .streamDropped: "nobody held the stream of its body any more"
    }
  }
}
