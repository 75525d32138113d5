import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON for a list of requests.
struct JSONListing: Encodable {
  let store: String
  let requests: [OutboxRecord]
}

/// The JSON for a command that failed.
struct JSONFailure: Encodable {
  let error: JSONReport.Failure
}

/// The JSON for an import.
struct JSONImport: Encodable {
  let stored: Int
  /// The number of requests that were left as they are, because their IDs are known already.
  let known: Int
}

/// The JSON for what is paused.
struct JSONPause: Encodable {
  let paused: Bool
  let pausedLanes: [String]

  init(_ statistics: OutboxStatistics) {
    paused = statistics.isPaused
    pausedLanes = statistics.pausedLanes
  }
}

/// The JSON for the statistics of an outbox.
struct JSONStatistics: Encodable {
  var store: String?
  /// The number of requests by state, including states without any.
  let counts: [String: Int]
  /// The size of the requests that are stored, in an attempt or dead letters.
  let bytes: Int64
  /// The same with requests that are over and not yet forgotten.
  let bytesInAll: Int64
  /// When the oldest request that is not over was stored.
  let oldest: String?
  /// When the next request may be attempted, if none may now.
  let nextAttempt: String?
  let paused: Bool
  let pausedLanes: [String]
  var heldOrigins: [HeldOriginRecord]?

  struct HeldOriginRecord: Encodable {
    let origin: String
    let reason: String
    let until: String
  }

  init(_ statistics: OutboxStatistics, held: [HeldOrigin]? = nil, store: String? = nil) {
    self.store = store
    heldOrigins = held?.map {
      HeldOriginRecord(origin: $0.origin, reason: $0.reason, until: JSONText.date($0.until))
    }
    counts = Dictionary(
      uniqueKeysWithValues: OutboxState.allCases.map { ("\($0)", statistics.counts[$0, default: 0]) })
    bytes = statistics.bytes
    bytesInAll = statistics.bytesInAll
    oldest = statistics.oldest.map { JSONText.date(Date(milliseconds: $0)) }
    nextAttempt = statistics.nextDue.map { JSONText.date(Date(milliseconds: $0)) }
    paused = statistics.isPaused
    pausedLanes = statistics.pausedLanes
  }
}
