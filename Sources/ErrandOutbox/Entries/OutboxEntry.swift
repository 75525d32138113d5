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
  public let method: Method
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
  /// Why the last attempt failed, or why the request was moved to the dead letters or dropped.
  public let reason: String?
  /// The number of bytes of the content, files included.
  public let size: Int64
  /// The response that ended the request, if one did.
  public let response: OutboxResponse?
}

extension OutboxResponse {
  /// Stands in for the response to a delivered request where none is known.
  static let unknown = OutboxResponse(
    status: Status(200), fields: [:], body: Data(), isWhole: false, limit: 0)
}
