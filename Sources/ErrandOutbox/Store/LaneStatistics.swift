import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The number of requests of one lane that are stored, being attempted, or dead letters.
public struct LaneStatistics: Sendable, Hashable {
  /// The lane; nil for the requests that have no lane.
  public let lane: String?
  /// The number of requests in each of these states.
  public var counts: [OutboxState: Int]
  /// When the first of these requests in the order of enqueue was stored.
  public let oldest: Date

  /// Creates the statistics of a lane, for a store.
  package init(lane: String?, counts: [OutboxState: Int] = [:], oldest: Date) {
    self.lane = lane
    self.counts = counts
    self.oldest = oldest
  }
}

extension OutboxStore {
  /// Counts the rows of each lane by listing all of them, page by page. A store should implement it with a
  /// count, which is much faster.
  public func laneStatistics() async throws -> [LaneStatistics] {
    let pageSize = 1000
    let selection = OutboxSelection(states: [.stored, .attempting, .deadLettered])
    var lanes: [LaneStatistics] = []
    var places: [ExactBytes?: Int] = [:]
    var last: Int64 = 0
    while true {
      let page = try await list(selection, after: last, limit: pageSize)
      for row in page {
        let lane = row.lane.map { ExactBytes($0) }
        let place = places[lane] ?? lanes.count
        if place == lanes.count {
          places[lane] = place
          lanes.append(
            LaneStatistics(lane: row.lane, counts: [:], oldest: Date(milliseconds: row.created)))
        }
        lanes[place].counts[row.state, default: 0] += 1
      }
      guard page.count == pageSize, let end = page.last else { return lanes }
      last = end.sequence
    }
  }
}
