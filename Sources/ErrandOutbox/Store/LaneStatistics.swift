#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The requests of one lane that are stored, being attempted, or dead letters, counted.
public struct LaneStatistics: Sendable, Hashable {
  /// The lane; nil for the requests that have none.
  public let lane: String?
  /// The number of requests in each of these states.
  public var counts: [OutboxState: Int]
  /// When the first of them in the order of enqueue was stored.
  public let oldest: Date

  public init(lane: String?, counts: [OutboxState: Int] = [:], oldest: Date) {
    self.lane = lane
    self.counts = counts
    self.oldest = oldest
  }
}

extension Outbox {
  /// Returns what each lane holds, the one with the oldest request first. Deliveries do not wait for it. It takes
  /// up to a second for a million requests.
  /// - Throws: `OutboxError`.
  public func laneStatistics() async throws -> [LaneStatistics] { try await store.laneStatistics() }
}
