#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a store knows of a request. What the request says is opaque to the store: `summary`, `answer` and the content may
/// be sealed.
public struct OutboxRow: Sendable, Hashable {
  public var id: OutboxID
  /// Its place in the order of enqueue; grows.
  public var sequence: Int64
  public var lane: String?
  /// Higher is sooner.
  public var priority: Int
  public var state: OutboxState
  /// When it was stored: milliseconds since 1970.
  public var created: Int64
  /// When its state changed last: milliseconds since 1970.
  public var changed: Int64
  /// How often it was claimed to be tried, those tries apart that were given back.
  public var tries: Int
  /// The tries that reached a server, or of which nobody knows how they ended.
  public var countedTries: Int
  /// When it may be tried next, in milliseconds since 1970; nil for at once, or if it is not stored.
  public var due: Int64?
  /// When it expires: milliseconds since 1970.
  public var expires: Int64?
  /// Why the last try failed, or why it was set aside, expired or dropped.
  public var reason: String?
  /// The bytes of its content, with its files.
  public var size: Int64
  /// What may be shown of it.
  public var summary: Data
  /// The answer that ended it.
  public var answer: Data?
  /// Names the server that it is for; empty if that is not known yet.
  public var origin: String
  /// When it was this.
  public var reading: Reading

  public init(
    id: OutboxID, sequence: Int64, lane: String?, priority: Int, state: OutboxState, created: Int64,
    changed: Int64, tries: Int, countedTries: Int, due: Int64?, expires: Int64?, reason: String?, size: Int64,
    summary: Data, answer: Data?, origin: String = "", reading: Reading = .unknown
  ) {
    self.id = id
    self.sequence = sequence
    self.lane = lane
    self.priority = priority
    self.state = state
    self.created = created
    self.changed = changed
    self.tries = tries
    self.countedTries = countedTries
    self.due = due
    self.expires = expires
    self.reason = reason
    self.size = size
    self.summary = summary
    self.answer = answer
    self.origin = origin
    self.reading = reading
  }
}

extension OutboxRow {
  /// Tells which of two readings of a row is the later one, whoever hears of it first. No part of what the row is: all are
  /// equal.
  public struct Reading: Sendable, Hashable {
    let number: Int64

    /// - Parameter number: Larger for each row that a store hands out than for those before it, from 1 on.
    public init(_ number: Int64) { self.number = number }

    /// Of a store that does not say.
    public static let unknown = Reading(0)

    func isBefore(_ other: Reading) -> Bool { number < other.number }

    public static func == (_: Reading, _: Reading) -> Bool { true }
    public func hash(into _: inout Hasher) {}
  }
}
