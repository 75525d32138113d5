/// The state of a request between being stored and being over.
///
/// ```
/// stored ─claim→ attempting ─accepted→ delivered
///    ↑               ├─failed, may be retried→ stored, not before a time
///    ├──lease over───┤
///    │               └─rejected, or out of attempts→ dead letter
///    ├───────────────────────by hand─────────────────────┘
///    └─its time is over→ expired          by hand, or to make room→ dropped
/// ```
public enum OutboxState: Int, Sendable, Hashable, Codable, CaseIterable, CustomStringConvertible {
  /// The request is on disk and waits for its turn, or for the time of its next attempt.
  case stored
  /// A process has claimed the request, and is sending it or about to.
  case attempting
  /// A server accepted the request. Its content is gone; the response is kept for
  /// `OutboxConfiguration.retention`.
  case delivered
  /// The request was rejected, or had all its attempts. It stays until it is retried or dropped by hand.
  case deadLettered
  /// The request's time was over before it was delivered. It is kept for `OutboxConfiguration.retention`.
  case expired
  /// The request was dropped, by hand or to make room. Only that is known of it, for
  /// `OutboxConfiguration.retention`.
  case dropped

  /// True if the request may still be delivered without a retry by hand.
  public var isOpen: Bool { self == .stored || self == .attempting }

  public var description: String {
    switch self {
    case .stored: "stored"
    case .attempting: "attempting"
    case .delivered: "delivered"
    case .deadLettered: "dead-letter"
    case .expired: "expired"
    case .dropped: "dropped"
    }
  }
}
