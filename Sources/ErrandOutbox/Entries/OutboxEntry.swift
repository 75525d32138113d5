public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A stored request, and its present state.
public struct OutboxEntry: Sendable, Hashable, Identifiable {
  /// Identifies the request.
  public let id: OutboxID
  /// The position in the order of enqueue; a later request has a larger number.
  public let sequence: Int64
  /// The request's lane; nil if it has no lane.
  public let lane: String?
  /// The priority: requests with a higher one are sent first.
  public let priority: Priority
  /// The present state.
  public let state: OutboxState
  /// The HTTP method.
  public let method: HTTPMethod
  /// The URL without its secrets.
  public let url: String
  /// The value of the `Idempotency-Key` field, the same in each attempt.
  public let idempotencyKey: String
  /// When the request was stored.
  public let created: Date
  /// When the state changed last.
  public let changed: Date
  /// The number of attempts.
  public let attempts: Int
  /// When the next attempt may begin; nil for at once, or if the request is not stored.
  public let nextAttempt: Date?
  /// When the request expires; nil if it does not expire.
  public let expires: Date?
  /// Why the last attempt failed, or why the request was moved to the dead letters or dropped; nil if neither
  /// happened. If a server refused the request, the reason ends with at most 200 characters of the server's
  /// explanation, without secrets that can be recognized by their names. In an encrypted outbox only the
  /// reasons of dead letters have this explanation.
  public let reason: String?
  /// The reason of a dead letter without the server's explanation, for a command that shows both.
  package let reasonWithoutWords: String?
  /// The number of bytes of the content, files included.
  public let size: Int64
  /// The response that ended the request; nil if no response did.
  public let response: OutboxResponse?
}

/// Identifies a stored request in every process, as long as the outbox has a record of it.
public struct OutboxID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The text of the identifier.
  public let rawValue: String

  /// Creates an identifier with this text.
  public init(rawValue: String) { self.rawValue = rawValue }

  public var description: String { rawValue }

  /// Compares the bytes, as file systems compare names: two Unicode forms of one letter are different.
  public static func == (left: OutboxID, right: OutboxID) -> Bool {
    ASCII.areSame(left.rawValue, right.rawValue)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: rawValue)
  }
}

/// The state of a request, from being stored to its end.
///
/// ```
/// stored ─claim→ attempting ─accepted→ delivered
///    ↑               ├─failed, may be retried→ stored, not before a time
///    ├──lease ends───┤
///    │               └─rejected, or out of attempts→ dead letter
///    ├───────────────────────by hand─────────────────────┘
///    └─its time runs out→ expired         by hand, or to make room→ dropped
/// ```
public enum OutboxState: Int, Sendable, Hashable, Codable, CaseIterable, CustomStringConvertible {
  /// The request is on disk and waits for its turn, or for the time of its next attempt.
  case stored
  /// A process has claimed the request, and sends it now or soon.
  case attempting
  /// A server accepted the request. Its content is removed; the outbox keeps the response for
  /// `OutboxConfiguration.retention`.
  case delivered
  /// The request was rejected, or it used up its attempts. It stays until it is retried or dropped by hand.
  case deadLettered
  /// The request expired before it was delivered. The outbox keeps it for `OutboxConfiguration.retention`.
  case expired
  /// The request was dropped, by hand or to make room. The outbox keeps only this record of it, for
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

extension Date {
  /// Creates the date of a store's time: milliseconds since 1970.
  package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// The milliseconds since 1970, limited to the range in which a `Double` holds whole numbers exactly.
  package var milliseconds: Int64 {
    let (value, limit) = ((timeIntervalSince1970 * 1000).rounded(), Double(1 << 53))
    return value.isNaN ? 0 : Int64(min(max(value, -limit), limit))
  }
}
