#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A request on its way into a store.
public struct NewRow: Sendable, Hashable {
  public var id: OutboxID
  /// Requests of one lane go one at a time, in the order in which they were added; nil for one that waits for none.
  public var lane: String?
  /// True if its lane waits when it is set aside.
  public var holdsLane: Bool
  /// Higher is sooner.
  public var priority: Int
  /// How long from now it may be delivered; nil for as long as it takes.
  public var lifetime: Duration?
  /// What may be shown of it.
  public var summary: Data
  /// All that is needed to send it, but for its files.
  public var content: Data
  /// The names of its files in the outbox's folder.
  public var files: [String]
  /// The bytes of its content, with its files.
  public var size: Int64
  /// Names the server that it is for: rows with the same name share its limits and its troubles. Opaque to the store. Empty
  /// if that is not known yet.
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
