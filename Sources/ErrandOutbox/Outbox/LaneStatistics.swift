import ErrandCore

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
  public internal(set) var counts: [OutboxState: Int] = [:]
  /// When the first of them in the order of enqueue was stored.
  public let oldest: Date
}

extension Outbox {
  private static let openStates: Set<OutboxState> = [.stored, .attempting, .deadLettered]
  private static let pageSize = 1000

  /// Returns what each lane holds, the one with the oldest request first. All these requests are read, page by
  /// page: ask for it now and then, not for each request.
  /// - Throws: `OutboxError`.
  public func laneStatistics() async throws -> [LaneStatistics] {
    var lanes: [LaneStatistics] = []
    var places: [ExactBytes?: Int] = [:]
    var last: Int64 = 0
    while true {
      let page = try await store.list(
        OutboxSelection(states: Self.openStates), after: last, limit: Self.pageSize)
      for row in page {
        let lane = row.lane.map { ExactBytes($0) }
        let place = places[lane] ?? lanes.count
        if place == lanes.count {
          places[lane] = place
          lanes.append(LaneStatistics(lane: row.lane, oldest: Date(milliseconds: row.created)))
        }
        lanes[place].counts[row.state, default: 0] += 1
      }
      guard page.count == Self.pageSize, let end = page.last else { return lanes }
      last = end.sequence
    }
  }
}
