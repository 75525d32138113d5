public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A stored request, as far as it is known.
public struct OutboxEntry: Sendable, Hashable, Identifiable {
  public let id: OutboxID
  /// The position in the order of enqueue.
  public let sequence: Int64
  public let lane: String?
  public let priority: Priority
  public let state: OutboxState
  public let method: HTTPMethod
  /// The URL without its secrets.
  public let url: String
  public let idempotencyKey: String
  /// When the request was stored.
  public let created: Date
  /// When the state changed last.
  public let changed: Date
  /// The number of attempts.
  public let attempts: Int
  /// When the next attempt may begin; nil for at once, or if the request is not stored.
  public let nextAttempt: Date?
  /// When the request expires.
  public let expires: Date?
  /// Why the last attempt failed, or why the request was moved to the dead letters or dropped. If a server refused it,
  /// this ends with the server's first words: at most 200 characters, without secrets that can be told by their names.
  /// An encrypted outbox has these words of dead letters only.
  public let reason: String?
  /// The reason of a dead letter without what its response says, for a command that shows both.
  package let reasonWithoutWords: String?
  /// The number of bytes of the content, files included.
  public let size: Int64
  /// The response that ended the request, if one did.
  public let response: OutboxResponse?
}

/// Identifies a stored request, in every process and for as long as anything is known of it.
public struct OutboxID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  public let rawValue: String

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

extension Date {
  /// Converts a store's time: milliseconds since 1970.
  package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// The milliseconds since 1970, within the range in which a `Double` has whole ones.
  package var milliseconds: Int64 {
    let (value, limit) = ((timeIntervalSince1970 * 1000).rounded(), Double(1 << 53))
    return value.isNaN ? 0 : Int64(min(max(value, -limit), limit))
  }
}
