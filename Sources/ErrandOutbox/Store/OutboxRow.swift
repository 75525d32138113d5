#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A request as the store knows it. The store cannot read the request itself: `summary`, `response` and the
/// content may be encrypted.
package struct OutboxRow: Sendable, Hashable {
  package var id: OutboxID
  /// The position in the order of enqueue; a later row has a larger number.
  package var sequence: Int64
  package var lane: String?
  /// A row with a higher priority is claimed sooner.
  package var priority: Int
  package var state: OutboxState
  /// When the request was stored: milliseconds since 1970.
  package var created: Int64
  /// When the state changed last: milliseconds since 1970.
  package var changed: Int64
  /// The number of claims, without claims that were given back.
  package var attempts: Int
  /// The number of attempts that reached a server, or whose end is unknown.
  package var countedAttempts: Int
  /// When the next attempt may begin, in milliseconds since 1970; nil for at once, or if the request is not
  /// stored.
  package var due: Int64?
  /// When the request expires: milliseconds since 1970.
  package var expires: Int64?
  /// Why the last attempt failed, or why the request was moved to the dead letters, expired or was dropped.
  package var reason: String?
  /// The number of bytes of the content, files included.
  package var size: Int64
  /// The part of the request that may be shown.
  package var summary: Data
  /// The response that ended the request.
  package var response: Data?
  /// The name of the request's origin; empty if it is not known yet.
  package var origin: String
  /// When this row was read.
  package var reading: Reading

  package init(
    id: OutboxID, sequence: Int64, lane: String?, priority: Int, state: OutboxState, created: Int64,
    changed: Int64, attempts: Int, countedAttempts: Int, due: Int64?, expires: Int64?, reason: String?,
    size: Int64,
    summary: Data, response: Data?, origin: String = "", reading: Reading = .unknown
  ) {
    self.id = id
    self.sequence = sequence
    self.lane = lane
    self.priority = priority
    self.state = state
    self.created = created
    self.changed = changed
    self.attempts = attempts
    self.countedAttempts = countedAttempts
    self.due = due
    self.expires = expires
    self.reason = reason
    self.size = size
    self.summary = summary
    self.response = response
    self.origin = origin
    self.reading = reading
  }
}

extension OutboxRow {
  /// The place of a reading of a row among the store's readings: it shows which of two readings is later, in
  /// whatever order they arrive. It is not part of the row's value: all readings are equal.
  package struct Reading: Sendable, Hashable {
    let number: Int64

    /// Creates a reading.
    /// - Parameter number: Larger for each row that a store returns than for the rows before it, from 1 on.
    package init(_ number: Int64) { self.number = number }

    /// The reading of a store that does not number its readings.
    package static let unknown = Reading(0)

    func isBefore(_ other: Reading) -> Bool { number < other.number }

    package static func == (_: Reading, _: Reading) -> Bool { true }
    package func hash(into _: inout Hasher) {}
  }
}

/// A request to add to a store.
package struct NewRow: Sendable, Hashable {
  package var id: OutboxID
  /// The lane, whose requests are sent one at a time, in the order in which they were added. Nil for a
  /// request that waits for no other.
  package var lane: String?
  /// True if the lane waits while this request is a dead letter.
  package var holdsLane: Bool
  /// A row with a higher priority is claimed sooner.
  package var priority: Int
  /// When the request expires; nil if it does not expire.
  package var expiry: Expiry?
  /// When the first attempt may begin, by the wall clock: milliseconds since 1970. Nil for at once.
  package var notBefore: Int64?
  /// The rule for a row whose id the store knows already.
  package var ifKnown = IfKnown.ignore
  /// The part of the request that may be shown.
  package var summary: Data
  /// All parts of the request that an attempt needs, except its files.
  package var content: Data
  /// The names of the request's files in the outbox's folder.
  package var files: [String]
  /// The number of bytes of the content, files included.
  package var size: Int64
  /// The name of the request's origin: rows with the same name share its limits and holds. The store does not
  /// interpret it. Empty if the origin is not known yet.
  package var origin: String

  /// When a request expires.
  package enum Expiry: Sendable, Hashable {
    /// This long after it is stored.
    case after(Duration)
    /// At a time by the wall clock, in milliseconds since 1970.
    case at(Int64)
  }

  package init(
    id: OutboxID, lane: String?, holdsLane: Bool, priority: Int, expiry: Expiry?, summary: Data,
    content: Data, files: [String], size: Int64, origin: String = ""
  ) {
    self.id = id
    self.lane = lane
    self.holdsLane = holdsLane
    self.priority = priority
    self.expiry = expiry
    self.summary = summary
    self.content = content
    self.files = files
    self.size = size
    self.origin = origin
  }
}

/// The bytes that a row takes on disk, as the caps count them.
package enum RowBytes {
  /// About the bytes of the columns and index entries of a row that is delivered, expired or dropped. Rows in
  /// other states are counted without them.
  package static let ofRow: Int64 = 512

  /// Returns the bytes that the caps count for a row.
  /// - Parameters:
  ///   - size: The number of bytes of the content, files included.
  ///   - response: The number of bytes of the stored response.
  package static func count(_ state: OutboxState, size: Int64, response: Int) -> Int64 {
    switch state {
    case .stored, .attempting: size
    case .deadLettered: size + Int64(response)
    case .delivered: ofRow + Int64(response)
    // The content is still stored, because the row may be retried by hand.
    case .expired: ofRow + size
    case .dropped: ofRow
    }
  }
}
