import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A stored request as the tool shows it, in JSON and as text.
struct OutboxRecord: Sendable, Hashable {
  struct Response: Sendable, Hashable, Encodable {
    var status: Int
    var fields: [[String]]?
    /// The body, if it is UTF-8.
    var body: String?
    var bodyBase64: String?
    /// False if only the first part of the body was kept.
    var isWhole: Bool?
  }

  var id: String
  var outboxID: OutboxID { OutboxID(rawValue: id) }
  var sequence: Int64
  var lane: String?
  var priority: String
  var state: OutboxState
  var method: String
  var url: String
  var idempotencyKey: String
  var created: Date
  var changed: Date
  var attempts: Int
  var nextAttempt: Date?
  var expires: Date?
  var reason: String?
  var size: Int64
  var response: Response?

  var request: String { "\(method) \(url)" }
}

extension OutboxRecord {
  /// - Parameter withBody: False to include only the response's status.
  init(_ entry: OutboxEntry, withBody: Bool = false) {
    self.init(
      id: entry.id.rawValue, sequence: entry.sequence, lane: entry.lane, priority: "\(entry.priority)",
      state: entry.state, method: entry.method.rawValue, url: entry.url,
      idempotencyKey: entry.idempotencyKey, created: entry.created, changed: entry.changed,
      attempts: entry.attempts, nextAttempt: entry.nextAttempt, expires: entry.expires, reason: entry.reason,
      size: entry.size, response: entry.response.map { Response($0, withBody: withBody) })
  }
}

extension OutboxRecord.Response {
  init(_ response: OutboxResponse, withBody: Bool) {
    status = response.status.code
    guard withBody else { return }
    fields = response.fields.map { [$0.name, $0.value] }
    body = String(validating: response.body, as: UTF8.self)
    if body == nil { bodyBase64 = response.body.base64EncodedString() }
    isWhole = response.isWhole
  }
}

extension OutboxRecord: Encodable {
  private enum Key: String, CodingKey {
    case id, sequence, lane, priority, state, method, url, idempotencyKey, created, changed, attempts,
      nextAttempt
    case expires, reason, size, response
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
    try container.encode(sequence, forKey: .sequence)
    try container.encodeIfPresent(lane, forKey: .lane)
    try container.encode(priority, forKey: .priority)
    try container.encode("\(state)", forKey: .state)
    try container.encode(method, forKey: .method)
    try container.encode(url, forKey: .url)
    try container.encode(idempotencyKey, forKey: .idempotencyKey)
    try container.encode(JSONText.date(created), forKey: .created)
    try container.encode(JSONText.date(changed), forKey: .changed)
    try container.encode(attempts, forKey: .attempts)
    try container.encodeIfPresent(nextAttempt.map(JSONText.date), forKey: .nextAttempt)
    try container.encodeIfPresent(expires.map(JSONText.date), forKey: .expires)
    try container.encodeIfPresent(reason, forKey: .reason)
    try container.encode(size, forKey: .size)
    try container.encodeIfPresent(response, forKey: .response)
  }
}

/// The JSON for a list of requests.
struct JSONListing: Encodable {
  let store: String
  let requests: [OutboxRecord]
  /// The ID after which the next page begins; nil on the last page.
  var next: String?
}

/// The JSON for a command that failed.
struct JSONFailure: Encodable {
  let error: JSONReport.Failure
}

/// The JSON for an import.
struct JSONImport: Encodable {
  let stored: Int
  /// The number of requests that were skipped, because the store already has their IDs.
  let known: Int
}

/// The JSON for the paused lanes.
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
  /// The size in bytes of the requests that are stored, attempting or dead letters.
  let bytes: Int64
  /// The same including finished requests that are not deleted yet.
  let bytesInAll: Int64
  /// The date at which the oldest unfinished request was stored.
  let oldest: String?
  /// The date from which the next request may be attempted; nil if one may be attempted now.
  let nextAttempt: String?
  let paused: Bool
  let pausedLanes: [String]
  var heldOrigins: [HeldOriginRecord]?
  /// The lanes that hold requests, the one with the oldest first.
  var lanes: [LaneRecord]?

  struct HeldOriginRecord: Encodable {
    let origin: String
    let key: String?
    let reason: String
    let until: String
  }

  struct LaneRecord: Encodable {
    /// Nil, and missing in the JSON, for the requests that have no lane.
    let lane: String?
    /// The number of stored, attempting and dead-letter requests by state.
    let counts: [String: Int]
    /// The date at which the oldest of them was stored.
    let oldest: String

    init(_ lane: LaneStatistics) {
      self.lane = lane.lane
      counts = Dictionary(uniqueKeysWithValues: lane.counts.map { ("\($0.key)", $0.value) })
      oldest = JSONText.date(lane.oldest)
    }
  }

  init(
    _ statistics: OutboxStatistics, held: [HeldOrigin]? = nil, lanes: [LaneStatistics]? = nil,
    store: String? = nil
  ) {
    self.store = store
    self.lanes = lanes?.map(LaneRecord.init)
    heldOrigins = held?.map {
      HeldOriginRecord(
        origin: $0.origin, key: $0.key, reason: $0.reason, until: JSONText.date($0.until))
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

/// An event of a stored request, in JSON.
struct JSONEvent: Encodable {
  let id: String
  let lane: String?
  /// `stored`, `attempting`, `failed`, `delivered`, `dead-letter`, `expired` or `dropped`.
  let event: String
  let date: String
  var attempts: Int?
  var reason: String?
  var nextAttempt: String?
  var status: Int?

  init(_ event: OutboxEvent) {
    id = event.id.rawValue
    lane = event.lane
    date = JSONText.date(event.date)
    switch event.step {
    case .stored: self.event = "stored"
    case .attempting(let count):
      self.event = "attempting"
      attempts = count
    case .failed(let reason, let next):
      self.event = "failed"
      self.reason = reason
      nextAttempt = JSONText.date(next)
    case .delivered(let response):
      self.event = "delivered"
      status = response.status.code
    case .deadLettered(let reason, let response):
      self.event = "dead-letter"
      self.reason = reason
      status = response?.status.code
    case .expired: self.event = "expired"
    case .dropped(let reason):
      self.event = "dropped"
      self.reason = reason
    }
  }
}
