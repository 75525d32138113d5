/// What an exporter reports about its collector: once when it begins to drop spans, and once when it has
/// recovered.
public enum OTLPNotice: Sendable, Hashable, CustomStringConvertible {
  /// Spans are dropped, with the reason for the first one.
  case dropping(reason: String)
  /// No span has been dropped for 30 s, and the collector accepts them again. `dropped` is the number of
  /// spans that were dropped since the last `dropping`.
  case recovered(dropped: Int)

  public var description: String {
    switch self {
    case .dropping(let reason): "The OTLP exporter drops spans: \(reason)."
    case .recovered(let count): "The OTLP exporter sends all spans again. It has dropped \(count)."
    }
  }
}
