import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON for the page's client and outbox.
struct InspectorState: Encodable {
  var client: SlotRows?
  /// The current time in milliseconds on the client's timeline, which gives the duration of running calls.
  var now: Double?
  var outbox: OutboxRows?
}

/// The JSON for an outbox: its counts and its first 200 unfinished requests.
struct OutboxRows: Encodable {
  struct Row: Encodable {
    let id: String
    let lane: String?
    let state: String
    let method: String
    let url: String
    let attempts: Int
    let next: Double?
    let reason: String?
    let size: Int64
  }

  /// An origin that receives no requests for a while.
  struct Held: Encodable {
    let origin: String
    let until: Double
    let reason: String
  }

  private static let most = 200

  let counts: [String: Int]
  let bytes: Int64
  let oldest: Double?
  let now: Double
  let isPaused: Bool
  let pausedLanes: [String]
  let held: [Held]
  let rows: [Row]

  init(_ outbox: Outbox) async throws {
    let statistics = try await outbox.statistics()
    counts = Dictionary(uniqueKeysWithValues: statistics.counts.map { ("\($0.key)", $0.value) })
    bytes = statistics.bytes
    oldest = statistics.oldest.map { Double($0) }
    now = Date().timeIntervalSince1970 * 1000
    (isPaused, pausedLanes) = (statistics.isPaused, statistics.pausedLanes)
    held = try await outbox.heldOrigins().map {
      Held(
        origin: [$0.origin, $0.key].compactMap(\.self).joined(separator: " "),
        until: $0.until.timeIntervalSince1970 * 1000, reason: $0.reason)
    }
    let states: Set<OutboxState> = [.stored, .attempting, .deadLettered]
    rows = try await outbox.list(OutboxSelection(states: states), limit: Self.most).map { entry in
      Row(
        id: entry.id.rawValue, lane: entry.lane, state: "\(entry.state)", method: entry.method.rawValue,
        url: entry.url, attempts: entry.attempts,
        next: entry.nextAttempt.map { $0.timeIntervalSince1970 * 1000 }, reason: entry.reason,
        size: entry.size)
    }
  }
}

/// A call in a saved copy of the page.
struct InspectorExport: Encodable {
  let row: CallRow
  let details: CallDetails
}
