import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A stored request as the tool shows it, in JSON and to people.
struct OutboxRecord: Sendable, Hashable {
  struct Answer: Sendable, Hashable, Encodable {
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
  var tries: Int
  var nextTry: Date?
  var expires: Date?
  var reason: String?
  var size: Int64
  var answer: Answer?

  var request: String { "\(method) \(url)" }
}

extension OutboxRecord {
  /// - Parameter withBody: False for the answer's status only.
  init(_ entry: OutboxEntry, withBody: Bool = false) {
    self.init(
      id: entry.id.rawValue, sequence: entry.sequence, lane: entry.lane, priority: "\(entry.priority)",
      state: entry.state, method: entry.method.rawValue, url: entry.url,
      idempotencyKey: entry.idempotencyKey, created: entry.created, changed: entry.changed,
      tries: entry.tries, nextTry: entry.nextTry, expires: entry.expires, reason: entry.reason,
      size: entry.size, answer: entry.answer.map { Answer($0, withBody: withBody) })
  }
}

extension OutboxRecord.Answer {
  init(_ answer: OutboxAnswer, withBody: Bool) {
    status = answer.status.rawValue
    guard withBody else { return }
    fields = answer.fields.map { [$0.name, $0.value] }
    body = String(validating: answer.body, as: UTF8.self)
    if body == nil { bodyBase64 = answer.body.base64EncodedString() }
    isWhole = answer.isWhole
  }
}

extension OutboxRecord: Encodable {
  private enum Key: String, CodingKey {
    case id, sequence, lane, priority, state, method, url, idempotencyKey, created, changed, tries, nextTry
    case expires, reason, size, answer
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
    try container.encode(tries, forKey: .tries)
    try container.encodeIfPresent(nextTry.map(JSONText.date), forKey: .nextTry)
    try container.encodeIfPresent(expires.map(JSONText.date), forKey: .expires)
    try container.encodeIfPresent(reason, forKey: .reason)
    try container.encode(size, forKey: .size)
    try container.encodeIfPresent(answer, forKey: .answer)
  }
}
