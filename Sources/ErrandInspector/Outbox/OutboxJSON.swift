import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON for the page of an outbox, without its requests.
struct OutboxSummary: Encodable {
  /// An origin that receives no requests for a while.
  struct Held: Encodable {
    let origin: String
    let key: String?
    let kind: String
    let until: Double
    let reason: String
  }

  struct Health: Encodable {
    let state: DeliveryHealth.State
    let text: String
  }

  struct Pending: Encodable {
    let id: Int
    let name: String
    let count: Int
    /// The milliseconds until it begins.
    let left: Double
    /// The first 200 of the requests, unless a filter selects them.
    let ids: [String]
    /// The number of requests that were changed; nil before the change begins.
    let done: Int?
    /// Why it ended early; nil if it did not.
    let failure: String?

    init(_ item: PendingActions.Item, at now: Double) {
      (id, name, count, left) = (item.id, item.action.name, item.action.count ?? 1, max(0, item.ends - now))
      ids = Array((item.action.ids ?? []).prefix(200))
      (done, failure) = (item.done, item.failure)
    }
  }

  struct Worker: Encodable {
    let name: String
    let claims: Int
    let state: String
  }

  let counts: [String: Int]
  let bytes: Int64
  let oldest: Double?
  let now: Double
  let isPaused: Bool
  let pausedLanes: [String]
  let held: [Held]
  let health: Health
  let hour: [OutboxHour.Minute]
  let pending: [Pending]
  let workers: [Worker]
}

/// The JSON for one request of an outbox.
struct OutboxRequestRow: Encodable {
  let id: String
  let lane: String?
  let state: String
  let method: String
  let url: String
  let attempts: Int
  let next: Double?
  let reason: String?
  let size: Int64
  let created: Double
  let changed: Double
  let expires: Double?
  let priority: String

  init(_ entry: OutboxEntry) {
    (id, lane, state) = (entry.id.rawValue, entry.lane, "\(entry.state)")
    (method, url, attempts) = (entry.method.rawValue, entry.url, entry.attempts)
    (next, expires) = (entry.nextAttempt?.shownTime, entry.expires?.shownTime)
    (reason, size, priority) = (entry.reason, entry.size, "\(entry.priority)")
    (created, changed) = (entry.created.shownTime, entry.changed.shownTime)
  }
}

/// The JSON for a page of requests.
struct OutboxPage: Encodable {
  var rows: [OutboxRequestRow] = []
  /// The sequence after which the next page begins; nil if this is the last page.
  var next: Int64?
  /// The number of requests that were read.
  var searched = 0
  /// True if the search ended before the page was full, because it took long.
  var isCut = false
}

/// The JSON for the number of requests that match a filter.
struct OutboxCount: Encodable {
  var count = 0
  /// When they were counted.
  let at: Double
  /// The sequence after which the count continues; nil if all were counted.
  var next: Int64?

  init(at: Double) { self.at = at }
}

/// The JSON for the details of one request of an outbox.
struct OutboxRequestDetails: Encodable {
  struct Content: Encodable {
    let fields: [[String]]
    let body: CallDetails.Body?
    /// Why there is no body to show.
    let note: String
  }

  struct Response: Encodable {
    let status: Int
    let fields: [[String]]
    let body: CallDetails.Body?
  }

  let row: OutboxRequestRow
  let idempotencyKey: String
  let history: [OutboxHistory.Step]
  let request: Content?
  let response: Response?
  /// The first unfinished requests of the lane, and this one with some that follow it.
  let neighbours: [OutboxRequestRow]
  /// How many of them are the first of the lane; others may be before the rest.
  let begins: Int

  init(_ details: OutboxDetails, history: [OutboxHistory.Step], neighbours: [OutboxEntry], begins: Int) {
    self.begins = begins
    row = OutboxRequestRow(details.entry)
    idempotencyKey = details.entry.idempotencyKey
    self.history = history
    request = details.content.map {
      Content(
        fields: $0.fields.map { [$0.name, $0.value] }, body: $0.body.map(CallDetails.Body.init), note: $0.note
      )
    }
    response = details.response.map {
      Response(
        status: $0.status.code, fields: $0.fields.map { [$0.name, $0.value] },
        body: $0.body.map(CallDetails.Body.init))
    }
    self.neighbours = neighbours.map(OutboxRequestRow.init)
  }
}

extension Date {
  /// Milliseconds since 1970.
  var shownTime: Double { (timeIntervalSince1970 * 1000).rounded() }
}
