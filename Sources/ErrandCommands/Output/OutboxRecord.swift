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
  /// - Parameter withBody: False to keep only the response's status.
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
