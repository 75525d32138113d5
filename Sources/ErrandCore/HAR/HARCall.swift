#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes entries of the events of one call, each when it is known how the attempt ended. Pure: times come with the
/// events.
struct HARCall: Sendable {
  private struct Attempt: Sendable {
    let number: Int
    let redirects: Int
    let date: Date
    let request: EventRequest
    var moments: HARTimings.Moments
    var address: String?
    var sent: Int64?
    var response: EventResponse?
    var redirectURL = ""
    var error: String?
    var retry: (because: String, after: Duration)?
  }

  private let started: (time: Duration, date: Date)
  private let bodyLimit: Int
  /// When the present attempt began to wait.
  private var waitsSince: (time: Duration, date: Date)
  private var attempt: Attempt?
  private var cache: String?
  private var sharedBy: [UInt64] = []
  private var hasEntries = false

  init(_ event: CallEvent, bodyLimit: Int) {
    started = (event.time, event.date)
    waitsSince = started
    self.bodyLimit = bodyLimit
  }

  /// Takes an event. Returns the entry that is complete with it.
  /// - Parameter sharedBy: The calls that share the response.
  mutating func take(_ event: CallEvent, sharedBy: [UInt64]) -> HAREntry? {
    self.sharedBy = sharedBy
    switch event.kind {
    case .waited(.backoff): waitsSince = (event.time, event.date)
    case .cacheDecided(let decision): cache = "\(decision)"
    case .attemptStarted(let request):
      let entry = close(event)
      let time = event.time
      attempt = Attempt(
        number: event.attempt, redirects: event.redirects, date: waitsSince.date, request: request,
        moments: HARTimings.Moments(begin: waitsSince.time, started: time, end: time))
      return entry
    case .resolved(let time): attempt?.moments.dns = time
    case .connected(let time): attempt?.moments.connect = time
    case .secured(let time): attempt?.moments.tls = time
    case .reached(let address): attempt?.address = address
    case .fieldsSent: attempt?.moments.fieldsSent = event.time
    case .bodySent(let bytes):
      attempt?.moments.bodySent = event.time
      attempt?.sent = bytes
    case .firstByte: attempt?.moments.firstByte = event.time
    case .responded(let response):
      attempt?.response = response
      if let metrics = response.metrics { attempt?.moments.take(metrics) }
      attempt?.moments.end = event.time
    case .redirected(let request):
      attempt?.redirectURL = request.url
      let entry = close(event)
      waitsSince = (event.time, event.date)
      return entry
    case .attemptFailed(let failure):
      attempt?.error = failure.message
      if attempt?.response == nil { attempt?.moments.end = event.time }
    case .retrying(let wait, let failure): attempt?.retry = (failure.message, wait)
    case .finished(let response): return end(event, response)
    case .failed(let failure):
      if attempt?.error == nil { attempt?.error = failure.message }
      return close(event)
    case .cancelled(let reason):
      // The error of an attempt that was cancelled says no more.
      if attempt?.response == nil || attempt?.response?.bodyLength == nil {
        attempt?.error = "cancelled: \(reason)"
        attempt?.moments.end = event.time
      }
      return close(event)
    default: break
    }
    return nil
  }

  private mutating func end(_ event: CallEvent, _ response: EventResponse) -> HAREntry? {
    if attempt != nil {
      // The length and the body of a stream are known at its end only.
      if attempt?.response?.bodyLength == nil {
        attempt?.response = response
        attempt?.moments.end = event.time
      }
      return close(event)
    }
    guard !hasEntries, response.isCached else { return nil }
    // The cache responded, so there was no attempt.
    attempt = Attempt(
      number: 0, redirects: 0, date: started.date, request: event.request,
      moments: HARTimings.Moments(begin: started.time, started: started.time, end: event.time))
    attempt?.response = response
    return close(event)
  }

  private mutating func close(_ event: CallEvent) -> HAREntry? {
    guard let attempt else { return nil }
    self.attempt = nil
    hasEntries = true
    let version = attempt.response?.httpVersion.map { "\($0)" } ?? HAREntry.unknownVersion
    let facts = HAREntry.Facts(
      call: event.call, attempt: attempt.number, redirects: attempt.redirects,
      purpose: event.purpose.rawValue, scope: event.scope, sharedBy: sharedBy.isEmpty ? nil : sharedBy,
      retry: attempt.retry?.because,
      retryAfter: attempt.retry.map { ($0.after.seconds * 1_000_000).rounded() / 1000 }, cache: cache)
    let request = HAREntry.Request(
      attempt.request, httpVersion: version, bodySize: attempt.sent ?? attempt.request.bodyLength,
      postData: HAREntry.PostData(attempt.request, limit: bodyLimit))
    return HAREntry(
      date: attempt.date, request,
      HAREntry.Response(
        attempt.response, version: version, redirectURL: attempt.redirectURL, error: attempt.error,
        limit: bodyLimit),
      HARTimings(attempt.moments), address: attempt.address, isCached: attempt.response?.isCached == true,
      priority: attempt.request.priority, facts)
  }
}

extension HAREntry.PostData {
  /// Returns nil for a request without a body.
  fileprivate init?(_ request: EventRequest, limit: Int) {
    guard request.hasBody else { return nil }
    let body = request.body(upTo: limit)
    self.init(
      mimeType: request.fields["Content-Type"] ?? "application/octet-stream",
      text: body?.text ?? body?.base64 ?? "",
      comment: body.map { body in
        body.isWhole ? body.base64.map { _ in "base64" } : "the first \(body.count) bytes"
      } ?? "not recorded")
  }
}

extension HAREntry.Response {
  fileprivate init(
    _ response: EventResponse?, version: String, redirectURL: String, error: String?, limit: Int
  ) {
    self.init()
    self.error = error
    guard let response else { return }
    let fields = response.fields
    status = response.status.code
    statusText = String(response.status.description.dropFirst("\(status)".count).drop { $0 == " " })
    httpVersion = version
    headers = fields.map { HAREntry.Pair(name: $0.name, value: $0.value) }
    self.redirectURL = redirectURL
    transferSize = response.isCached ? 0 : response.bytesReceived
    bodySize = transferSize ?? -1
    content.mimeType = fields["Content-Type"] ?? "x-unknown"
    let body = response.body(upTo: limit)
    content.size = response.bodyLength ?? body?.length ?? 0
    content.text = body?.text ?? body?.base64
    content.encoding = body?.base64 == nil ? nil : "base64"
    if let body, !body.isWhole { content.comment = "the first \(body.count) bytes" }
  }
}
