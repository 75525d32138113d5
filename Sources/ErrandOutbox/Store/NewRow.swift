#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A request to add to a store.
public struct NewRow: Sendable, Hashable {
  public var id: OutboxID
  /// The lane: its requests are sent one at a time, in the order in which they were added. Nil for a request
  /// that waits for no other.
  public var lane: String?
  /// True if the lane waits while this request is a dead letter.
  public var holdsLane: Bool
  /// Higher is sooner.
  public var priority: Int
  /// How long from now it may be delivered; nil for no limit.
  public var lifetime: Duration?
  /// The part of the request that may be shown.
  public var summary: Data
  /// All that is needed to send the request, except its files.
  public var content: Data
  /// The names of the request's files in the outbox's folder.
  public var files: [String]
  /// The number of bytes of the content, files included.
  public var size: Int64
  /// Names the request's origin: rows with the same name share its limits and holds. Opaque to the store.
  /// Empty if the origin is not known yet.
  public var origin: String

  public init(
    id: OutboxID, lane: String?, holdsLane: Bool, priority: Int, lifetime: Duration?, summary: Data,
    content: Data, files: [String], size: Int64, origin: String = ""
  ) {
    self.id = id
    self.lane = lane
    self.holdsLane = holdsLane
    self.priority = priority
    self.lifetime = lifetime
    self.summary = summary
    self.content = content
    self.files = files
    self.size = size
    self.origin = origin
  }
}
