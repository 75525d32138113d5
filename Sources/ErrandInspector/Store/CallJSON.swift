import ErrandCore
import ErrandObservability

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON for a call's row on the page.
struct CallRow: Encodable {
  struct Span: Encodable {
    let step: String
    let attempt: Int
    let redirects: Int
    let begin: Double
    /// The end in milliseconds; nil for a step in progress.
    let end: Double?

    init(_ span: CallTimeline.Span, isOver: Bool) {
      (step, attempt, redirects) = (span.step.rawValue, span.attempt, span.redirects)
      (begin, end) = (milliseconds(span.begin), isOver ? milliseconds(span.end) : nil)
    }
  }

  let id: UInt64
  let method: String
  let url: String
  let origin: String
  /// The names of the call's scopes, outermost first; nil for a call without a scope.
  let scopes: [String]?
  let purpose: String
  let priority: String
  let state: CallRecord.State
  let status: Int?
  let outcome: String
  let waitsFor: String?
  let attempts: Int
  let shares: UInt64?
  let cache: String?
  let isCached: Bool?
  /// The value of the response's `Content-Type`.
  let type: String?
  let bytes: Int64
  /// The beginning in milliseconds on the client's timeline.
  let began: Double
  let end: Double?
  let spans: [Span]

  static func milliseconds(_ time: Duration) -> Double { (time.seconds * 1_000_000).rounded() / 1000 }

  init(_ record: CallRecord) {
    (id, purpose, state) = (record.id, record.purpose.rawValue, record.state)
    // The rows of thousands of calls are sent at once. The details have the whole URL.
    (method, url, origin) = (
      record.request.method.rawValue, record.request.url(upTo: 1000), record.request.origin
    )
    (scopes, priority) = (record.scopes.isEmpty ? nil : record.scopes, "\(record.request.priority)")
    (status, outcome, waitsFor) = (record.status, record.outcome, record.waitsFor)
    (attempts, shares, cache, bytes) = (record.attempts, record.shares, record.cache, record.bytes)
    (isCached, type) = (record.isCached ? true : nil, record.type)
    began = Self.milliseconds(record.timeline.began)
    end = record.end.map(Self.milliseconds)
    let present = record.timeline.present.map { Span($0, isOver: false) }
    spans = record.timeline.spans.map { Span($0, isOver: true) } + [present].compactMap { $0 }
  }
}

/// The JSON for the details of the selected call.
struct CallDetails: Encodable {
  struct Body: Encodable {
    let text: String?
    let base64: String?
    let length: Int64
    let isWhole: Bool

    init(_ body: EventBody) {
      (text, base64, length, isWhole) = (body.text, body.base64, body.length, body.isWhole)
    }
  }

  struct Exchange: Encodable {
    let attempt: Int
    let redirects: Int
    let method: String
    let url: String
    let fields: [[String]]
    let status: Int?
    let responseFields: [[String]]?
    let failure: String?
    let retry: String?
    /// The body of a response that the call did not end with.
    let body: Body?
    let version: String?
  }

  /// The response of another call, which this call shares.
  struct Shared: Encodable {
    let status: Int
    let fields: [[String]]
  }

  let id: UInt64
  let url: String
  let date: String
  let curl: String
  let canResend: Bool
  /// The header fields that the request was made with.
  let fields: [[String]]
  let exchanges: [Exchange]
  let shared: Shared?
  let sent: Body?
  let received: Body?

  init(_ record: CallRecord) {
    (id, url) = (record.id, record.request.url)
    date = record.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    curl = record.request.curlCommand
    canResend = record.canResend
    fields = record.request.fields.map { [$0.name, $0.value] }
    shared = record.sharedResponse.map {
      Shared(status: $0.status.code, fields: $0.fields.map { [$0.name, $0.value] })
    }
    exchanges = record.exchanges.map { exchange in
      Exchange(
        attempt: exchange.attempt, redirects: exchange.redirects, method: exchange.request.method.rawValue,
        url: exchange.request.url, fields: exchange.request.fields.map { [$0.name, $0.value] },
        status: exchange.response?.status.code,
        responseFields: exchange.response?.fields.map { [$0.name, $0.value] }, failure: exchange.failure,
        retry: exchange.retry, body: exchange.body?.shown.map(Body.init),
        version: exchange.version.map { "\($0)" })
    }
    sent = record.sent?.shown.map(Body.init)
    received = record.received?.shown.map(Body.init)
  }
}
