public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What is known of a stored request.
public struct OutboxEntry: Sendable, Hashable, Identifiable {
  public let id: OutboxID
  /// Its place in the order of enqueue.
  public let sequence: Int64
  public let lane: String?
  public let priority: Priority
  public let state: OutboxState
  public let method: Method
  /// Without its secrets.
  public let url: String
  public let idempotencyKey: String
  /// When it was stored.
  public let created: Date
  /// When its state changed last.
  public let changed: Date
  /// How often it was tried.
  public let tries: Int
  /// When it may be tried next; nil for at once, or if it is not stored.
  public let nextTry: Date?
  /// When it expires.
  public let expires: Date?
  /// Why the last try failed, or why it was set aside or dropped.
  public let reason: String?
  /// The bytes of its content, with its files.
  public let size: Int64
  /// The answer that ended it, if one did.
  public let answer: OutboxAnswer?
}

extension OutboxAnswer {
  /// Of one that was delivered long ago.
  static let unknown = OutboxAnswer(status: Status(200), fields: [:], body: Data(), isWhole: false, limit: 0)
}
