#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request as the HTTP cache sees it.
struct SeenRequest: Sendable {
  let request: Request
  /// The header fields, with the cookies that a later stage adds. They select among stored responses.
  let fields: HTTPFields
  /// The number of redirects that came from the cache.
  let followed: Int

  /// - Parameter cookie: The value of the `Cookie` field that a later stage adds; nil if it adds none.
  init(_ request: Request, _ cookie: String?, followed: Int) {
    self.request = request
    self.followed = followed
    var fields = request.fields
    if let cookie { fields.append("Cookie", cookie) }
    self.fields = fields
  }

  /// The fields that may ask for a range, which only a GET can.
  var rangeFields: HTTPFields { request.method == .get ? fields : [:] }

  /// True if the request itself asks only for a newer version.
  var isConditional: Bool { fields.isConditional }

  private static let conditionsOfServer = ["If-Match", "If-Unmodified-Since"]

  /// The reason why the cache cannot respond, whatever it has stored; nil if it may respond.
  var bypass: String? {
    // The attempts of an outbox and the requests for a credential must reach the server.
    if request.options.takesNoSlot { return "the request must reach the server" }
    for name in Self.conditionsOfServer where fields.contains(name) {
      return "only the server can check the request's \(name)"
    }
    // A body has no meaning in a GET by HTTP, but servers give it one.
    if request.hasBody { return "the request has a body" }
    if fields.contains("Range"), request.method == .get, ByteRange(fields) == nil {
      return "the cache serves a single range of bytes only"
    }
    return nil
  }

  /// Returns the request for the server, which asks whether one of the stored responses is still valid.
  /// - Parameters:
  ///   - selection: The stored responses that could be delivered; nil if the server is not asked about them.
  ///   - begun: The present moment of the log of changes.
  ///   - draft: Stores a streamed response; nil for other destinations.
  ///   - finishesAbandonedStreams: True if the body is stored to its end, even if its reader lets go of the stream.
  func asking(
    _ selection: CacheSelection?, since begun: Int, draft: ForwardRecord.Drafting? = nil,
    finishesAbandonedStreams: Bool = false
  ) -> ForwardedRequest {
    var request = request
    let conditions = selection?.conditions ?? [:]
    if let own = conditions["If-None-Match"] {
      // Some servers compare the whole field, so a tag that the caller sends already is not repeated.
      let tags = fields["If-None-Match"].map { $0 == own ? own : "\($0), \(own)" } ?? own
      request.fields.set("If-None-Match", tags)
    }
    var isOurs = conditions.contains("If-None-Match")
    if let own = conditions["If-Modified-Since"], !fields.contains("If-Modified-Since") {
      request.fields.set("If-Modified-Since", own)
      isOurs = true
    }
    let record = ForwardRecord(
      self.request, isConditional: isOurs, followed: followed, draft: draft,
      finishesAbandonedStreams: finishesAbandonedStreams)
    request.options.forwardRecord = OnlyItself(record)
    return ForwardedRequest(
      seen: self, request: request, record: record, selection: isOurs ? selection : nil,
      begun: begun)
  }
}

/// A request that the HTTP cache forwards to the server.
struct ForwardedRequest: Sendable {
  let seen: SeenRequest
  /// The request with the cache's conditions.
  let request: Request
  let record: ForwardRecord
  /// The stored responses that the conditions are about; nil without conditions.
  let selection: CacheSelection?
  /// When the request was sent, in the log of changes.
  var begun: Int

  /// Returns the time between sending the request and `date`, in seconds.
  func delay(until date: Date) -> TimeInterval {
    record.outcome?.sentAt.map { date.timeIntervalSince($0) } ?? 0
  }
}

extension HTTPFields {
  fileprivate var isConditional: Bool { contains { $0.isCondition } }
}

extension CachedResponse {
  /// Returns the response as it is delivered: with its present age, without what must be validated first, and as the
  /// request's own conditions say (RFC 9111, section 4.3.2).
  /// - Parameter age: The age in seconds.
  func delivered(to request: Request, age: TimeInterval) -> Response {
    var fields = fields
    for name in rules.heldBack { fields.remove(name) }
    fields.set("Age", "\(Int64(max(0, age)))")
    let isUnchanged = status.isSuccess && request.fields.isConditional && meetsConditions(of: request.fields)
    if isUnchanged { fields.remove { Self.describesContent($0.name) } }
    let head = ResponseHead(status: isUnchanged ? 304 : status, fields: fields)
    let isBare = isUnchanged || request.method == .head
    var response = Response(
      head: head, body: isBare ? .data(Data()) : .stored(body), url: request.url ?? url, timing: Timing())
    response.cachedAt = date
    response.timing.attempts = 0
    return response
  }

  /// True for the fields that a 304 does not need.
  private static func describesContent(_ name: String) -> Bool {
    ["Content-Length", "Content-Type", "Content-Encoding", "Content-Range"].contains {
      ASCII.equalIgnoringCase($0, name)
    }
  }

  /// Returns true if the request has this version already, by its own conditions.
  private func meetsConditions(of request: HTTPFields) -> Bool {
    if request.contains("If-None-Match") {
      let tags = request.values(of: "If-None-Match").flatMap(Self.tags)
      return tags.contains { tag in tag == "*" || fields["ETag"].map { Self.isSame(tag, $0) } ?? false }
    }
    let modified = fields["Last-Modified"] ?? fields["Date"]
    guard let since = request["If-Modified-Since"].flatMap(HTTPDate.parse),
      let modified = modified.map(HTTPDate.parse) ?? date
    else { return false }
    return modified <= since
  }
}

extension CacheUse {
  /// Returns why a stored response must be validated, in the words of RFC 9211.
  func forward(of request: HTTPFields) -> CacheStatus.Forward {
    ttl <= 0 ? .stale : CacheControl(request).isEmpty && !request.contains("Pragma") ? .miss : .request
  }
}

extension Response {
  /// Returns the response with its body where the destination needs it.
  func resolved(for destination: Destination) async throws -> Response {
    guard case .stored(let stored) = body else { return self }
    var response = self
    switch destination {
    case .memory: response.body = .data(try await stored.load())
    case .stream: response.body = .chunks(ByteStream(stored))
    // The download takes the body from there.
    case .file: break
    }
    return response
  }

  func with(_ status: CacheStatus) -> Response {
    var response = self
    response.cacheStatus = status
    return response
  }
}
