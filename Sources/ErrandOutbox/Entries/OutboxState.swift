/// Where a request is between being stored and being over.
///
/// ```
/// stored ─claim→ trying ─accepted→ delivered
///    ↑              ├─may be tried again→ stored, not before a time
///    ├──lease over──┤
///    │              └─refused, or out of tries→ set aside
///    ├──────────────────────by hand──────────────┘
///    └─its time is over→ expired          by hand, or to make room→ dropped
/// ```
public enum OutboxState: Int, Sendable, Hashable, Codable, CaseIterable, CustomStringConvertible {
  /// On disk, waiting for its turn, or for the time of its next try.
  case stored
  /// A process has it, and is sending it or about to.
  case trying
  /// A server accepted it. What it consisted of is gone; the answer is kept for a while.
  case delivered
  /// It was refused, or tried too often. It stays until it is tried again or dropped by hand.
  case setAside
  /// Its time was over before it was delivered. It is kept for a while.
  case expired
  /// It was dropped, by hand or to make room. Only that is known of it, for a while.
  case dropped

  /// True if it may still be delivered without anybody's help.
  public var isOpen: Bool { self == .stored || self == .trying }

  public var description: String {
    switch self {
    case .stored: "stored"
    case .trying: "trying"
    case .delivered: "delivered"
    case .setAside: "set-aside"
    case .expired: "expired"
    case .dropped: "dropped"
    }
  }
}
