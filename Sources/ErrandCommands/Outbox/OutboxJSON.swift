import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What `--output json` prints of several requests.
struct JSONListing: Encodable {
  let store: String
  let requests: [OutboxRecord]
}

/// What `--output json` prints if a command fails.
struct JSONFailure: Encodable {
  let error: JSONReport.Failure
}

/// What an import did.
struct JSONImport: Encodable {
  let stored: Int
  /// Those that were left as they are, because they are known already.
  let known: Int
}

/// Whether requests are tried.
struct JSONPause: Encodable {
  let paused: Bool
  let pausedLanes: [String]

  init(_ statistics: OutboxStatistics) {
    paused = statistics.isPaused
    pausedLanes = statistics.pausedLanes
  }
}

/// How much is stored.
struct JSONStatistics: Encodable {
  var store: String?
  /// By the name of the state, those with none too.
  let counts: [String: Int]
  /// Of what is stored, being tried or set aside.
  let bytes: Int64
  /// With what is over and still known.
  let bytesInAll: Int64
  /// When the oldest that is not over was stored.
  let oldest: String?
  /// When the next may be tried, if none may now.
  let nextTry: String?
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
    nextTry = statistics.nextDue.map { JSONText.date(Date(milliseconds: $0)) }
    paused = statistics.isPaused
    pausedLanes = statistics.pausedLanes
  }
}
