/// A request as a listener sees it, without secrets.
public struct EventRequest: Sendable {
  private let request: Request
  private let client: EventSource

  init(_ request: Request, _ client: EventSource) {
    self.request = request
    self.client = client
  }

  /// The request with its secrets, to be sent again.
  var original: Request { request }

  /// The request's method, such as `GET`.
  public var method: HTTPMethod { request.method }
  /// The priority that the request was made with.
  public var priority: Priority { request.options.priority }

  /// The URL, in which each secret is replaced by `***`. If the URL is invalid, it is its text.
  public var url: String { request.address.shown(hiding: client.secrets) }

  /// The URL without secrets; of a long one only the beginning.
  package func url(upTo limit: Int) -> String { request.address.shown(hiding: client.secrets, upTo: limit) }

  func url(masking mask: SecretMask) -> String {
    request.address.shown(hiding: client.secrets, as: mask)
  }

  /// Scheme, host and port, such as `https://example.com:443`; empty if the URL is invalid.
  public var origin: String { request.address.originName }

  /// The header fields of the request, in which each secret is replaced by `***`. They do not include those
  /// that a transport adds: `Host`, `Accept-Encoding` and the length.
  public var fields: HTTPFields { request.wireFields.masked(hiding: client.secrets) }

  /// The length of the body in bytes, if it is known; 0 without a body.
  public var bodyLength: Int64? { request.body.knownLength }

  /// The request without its body, for a listener that stores many requests.
  package var withoutBody: EventRequest {
    guard !request.body.isNone else { return self }
    return EventRequest(request.with { $0.body = .none }, client)
  }

  /// The request without its fields and its body, and with a shortened URL, for a listener that has reached
  /// its limit.
  package var trimmed: EventRequest {
    // Secrets are hidden before the URL is shortened, because a part of it does not show where its password
    // ends.
    var short = Request(request.method, url(upTo: 500))
    short.options.priority = request.options.priority
    return EventRequest(short, client)
  }

  /// The approximate number of bytes of the URL and the fields, which a listener holds.
  package var heldBytes: Int { request.address.text.utf8.count + request.fields.heldBytes }

  package func heldBody(upTo limit: Int) -> HeldBody? {
    guard limit > 0, case .bytes(let data) = request.body.content else { return nil }
    let type = request.fields["Content-Type"] ?? request.body.contentType
    return HeldBody(data.prefix(limit), length: Int64(data.count), type, client)
  }

  /// The request as a curl command, without secrets.
  package var curlCommand: String { request.curlCommand(hiding: client.secrets) }

  /// True if the request has a body.
  package var hasBody: Bool { !request.body.isNone }

  /// Returns the beginning of a body in memory. In JSON and forms, secrets that are recognized by name are
  /// hidden. Returns nil for a file, a stream and a multipart form.
  package func body(upTo limit: Int) -> EventBody? {
    guard limit > 0, case .bytes(let data) = request.body.content else { return nil }
    let type = request.fields["Content-Type"] ?? request.body.contentType
    return EventBody(data.prefix(limit), length: Int64(data.count), type, client.secrets)
  }
}

/// A response as a listener sees it, without secrets.
public struct EventResponse: Sendable {
  enum Content: Sendable {
    /// The response of an attempt.
    case received(Response, bodyLength: Int64?)
    /// The response of a call.
    case delivered(Response)
  }

  private let content: Content
  private let events: CallEvents
  private var client: EventSource { events.client }

  init(_ content: Content, _ events: CallEvents) {
    // A listener may keep the event for long.
    self.content =
      switch content {
      case .received(let response, let length) where response.isStream:
        .received(response.observed, bodyLength: length)
      case .delivered(let response) where response.isStream: .delivered(response.observed)
      default: content
      }
    self.events = events
  }

  private var response: Response {
    switch content {
    case .received(let response, _), .delivered(let response): response
    }
  }

  package var heldHead: HeldHead { HeldHead(response.head, client) }

  package func heldBody(upTo limit: Int) -> HeldBody? {
    guard limit > 0 else { return nil }
    let type = heldHead.fields["Content-Type"]
    if case .data(let data) = response.body {
      return HeldBody(data.prefix(limit), length: Int64(data.count), type, client)
    }
    let captured = events.captured.withLock { $0 }
    return HeldBody(captured.bytes.prefix(limit), length: captured.length, type, client)
  }

  /// Returns the beginning of the body. In JSON and forms, secrets that are recognized by name are hidden. Of
  /// a stream or a file it returns the bytes that have arrived, at most the listener's `bodyLimit`.
  package func body(upTo limit: Int) -> EventBody? {
    guard limit > 0 else { return nil }
    let type = fields["Content-Type"]
    if case .data(let data) = response.body {
      return EventBody(data.prefix(limit), length: Int64(data.count), type, client.secrets)
    }
    let captured = events.captured.withLock { $0 }
    return EventBody(captured.bytes.prefix(limit), length: captured.length, type, client.secrets)
  }

  /// The status, such as 404.
  public var status: HTTPStatus { response.status }

  /// The header fields, in which each secret is replaced by `***`.
  public var fields: HTTPFields { response.fields.masked(hiding: client.secrets) }

  /// The transport's measurements of an attempt; nil for the response of a call, and for a stream.
  public var metrics: TransferMetrics? {
    guard case .received(let response, .some) = content else { return nil }
    return TransferMetrics(response.timing)
  }

  /// The timing of the whole call; nil for the response of an attempt.
  public var timing: Timing? {
    guard case .delivered(let response) = content else { return nil }
    if case .chunks(let stream) = response.body { return stream.timing ?? response.timing }
    return response.timing
  }

  /// The length of the body in bytes, after decompression; nil for a stream.
  public var bodyLength: Int64? {
    switch content {
    case .received(_, let length): length
    case .delivered(let response):
      switch response.body {
      case .data(let data): Int64(data.count)
      case .stored(let body): body.count
      case .file, .chunks: nil
      }
    }
  }

  /// The HTTP version; nil if the transport does not report it, and for a stream before its end.
  package var httpVersion: HTTPVersion? { metrics?.httpVersion ?? timing?.httpVersion }

  /// The number of the body's bytes on the wire; nil if the transport does not report it, and for a stream
  /// before its end.
  package var bytesReceived: Int64? { metrics?.bytesReceived ?? timing?.bytesReceived }

  /// True if the response came from the cache.
  package var isCached: Bool {
    if case .delivered(let response) = content { response.cachedAt != nil } else { false }
  }
}

/// An interim response (1xx) as a listener sees it, without secrets.
public struct EventInterimResponse: Sendable {
  private let head: ResponseHead
  private let client: EventSource

  init(_ head: ResponseHead, _ client: EventSource) {
    self.head = head
    self.client = client
  }

  /// The status, such as 103.
  public var status: HTTPStatus { head.status }

  /// The header fields, in which each secret is replaced by `***`.
  public var fields: HTTPFields { head.fields.masked(hiding: client.secrets) }
}

/// A failure as a listener sees it, without secrets.
public struct EventFailure: Sendable {
  private let error: any Error
  private let client: EventSource
  private let head: ResponseHead?

  /// - Parameter head: The head of the response whose body failed; nil if none arrived.
  init(_ error: any Error, _ client: EventSource, head: ResponseHead? = nil) {
    self.error = error
    self.client = client
    self.head = head
  }

  /// The head that had arrived when the attempt failed; nil without one, and for the failure of a call.
  package var heldHead: HeldHead? { head.map { HeldHead($0, client) } }

  private var known: RequestError? { error as? RequestError }

  /// The kind of the failure; nil for an error of the application.
  public var code: RequestError.Code? { known?.code }

  /// The description of the failure. For an error of the application it names only the type.
  public var message: String { known?.message ?? "an error of the type \(type(of: error))" }

  /// The status of the rejected response; nil if no response arrived.
  public var status: HTTPStatus? { known?.status }

  /// The header fields of the rejected response, in which each secret is replaced by `***`.
  package var fields: HTTPFields? { known?.fields?.masked(hiding: client.secrets) }

  /// True unless it is certain that no bytes reached the server.
  public var reachedServer: Bool { known?.reachedServer ?? true }

  /// The timing of a rejected response, if the response was read to its end.
  public var timing: Timing? { known?.timing }
}

extension HTTPFields {
  /// Returns the fields, in which each secret is replaced by `***`.
  package func masked(hiding secrets: Secrets) -> HTTPFields {
    guard contains(where: { $0.isSecret || secrets.hides($0) }) else { return self }
    var masked = HTTPFields()
    for field in self {
      let isHidden = secrets.hides(field)
      masked.append(field.name, isHidden ? "***" : field.value, isSecret: isHidden)
    }
    return masked
  }
}

extension RequestBody {
  /// The length in bytes, if it is known before the body is sent.
  var knownLength: Int64? {
    switch content {
    case .none: 0
    case .bytes(let data): Int64(data.count)
    default: nil
    }
  }
}
