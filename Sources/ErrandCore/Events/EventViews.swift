/// A request as a listener sees it: without secrets.
public struct EventRequest: Sendable {
  private let request: Request
  private let client: EventSource

  init(_ request: Request, _ client: EventSource) {
    self.request = request
    self.client = client
  }

  /// The request itself, to be sent again.
  var original: Request { request }

  public var method: HTTPMethod { request.method }
  public var priority: Priority { request.options.priority }

  /// The URL, with `***` in the place of each secret; of an invalid one the text.
  public var url: String { request.address.shown(hiding: client.secrets) }

  func url(masking mask: SecretMask) -> String {
    request.address.shown(hiding: client.secrets, as: mask)
  }

  /// Scheme, host and port, as in `https://example.com:443`; empty if the URL is invalid.
  public var origin: String { request.address.originName }

  /// The header fields that the request was given, with `***` in the place of each secret. A transport adds
  /// `Host`, `Accept-Encoding` and the length.
  public var fields: HTTPFields { request.wireFields.masked(hiding: client.secrets) }

  /// The length of the body in bytes, if it is known; 0 without a body.
  public var bodyLength: Int64? { request.body.knownLength }

  /// The same request without its body, for a listener that keeps many.
  package var withoutBody: EventRequest {
    guard !request.body.isNone else { return self }
    return EventRequest(request.with { $0.body = .none }, client)
  }

  /// The request without its fields and its body, and with the beginning of its URL, for a listener that has no more
  /// room for it.
  package var trimmed: EventRequest {
    // What is secret is hidden first: a part of a URL does not show where its password ends.
    var short = Request(request.method, url.clippedURL)
    short.options.priority = request.options.priority
    return EventRequest(short, client)
  }

  /// The bytes that a listener holds with the URL and the fields, roughly.
  package var heldBytes: Int { request.address.text.utf8.count + request.fields.heldBytes }

  package func heldBody(upTo limit: Int) -> HeldBody? {
    guard limit > 0, case .bytes(let data) = request.body.content else { return nil }
    let type = request.fields["Content-Type"] ?? request.body.contentType
    return HeldBody(data.prefix(limit), length: Int64(data.count), type, client)
  }

  /// The request as a command of curl, without secrets.
  package var curlCommand: String { request.curlCommand(hiding: client.secrets) }

  public var hasBody: Bool { !request.body.isNone }

  /// Returns the beginning of a body that is in memory, without the secrets that can be told by their names, in JSON and
  /// in forms. Nil for a file, a stream and a multipart form.
  public func body(upTo limit: Int) -> EventBody? {
    guard limit > 0, case .bytes(let data) = request.body.content else { return nil }
    let type = request.fields["Content-Type"] ?? request.body.contentType
    return EventBody(data.prefix(limit), length: Int64(data.count), type, client.secrets)
  }
}

/// A response as a listener sees it: without secrets.
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
    self.content = content
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

  /// Returns the beginning of the body, without the secrets that can be told by their names, in JSON and in forms.
  /// Of a stream and a file it is what has come, as far as the listener's `bodyLimit` goes.
  public func body(upTo limit: Int) -> EventBody? {
    guard limit > 0 else { return nil }
    let type = fields["Content-Type"]
    if case .data(let data) = response.body {
      return EventBody(data.prefix(limit), length: Int64(data.count), type, client.secrets)
    }
    let captured = events.captured.withLock { $0 }
    return EventBody(captured.bytes.prefix(limit), length: captured.length, type, client.secrets)
  }

  public var status: HTTPStatus { response.status }

  /// The header fields, with `***` in the place of each secret.
  public var fields: HTTPFields { response.fields.masked(hiding: client.secrets) }

  /// The transport's measurements of an attempt: nil for the response of a call, and for a stream.
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
      case .file, .chunks: nil
      }
    }
  }

  /// The HTTP version, if the transport tells it; for a stream, at its end.
  public var httpVersion: HTTPVersion? { metrics?.httpVersion ?? timing?.httpVersion }

  /// The bytes of the body on the wire, if the transport tells them; for a stream, at its end.
  public var bytesReceived: Int64? { metrics?.bytesReceived ?? timing?.bytesReceived }

  /// True for a response that came from the cache.
  public var isCached: Bool {
    if case .delivered(let response) = content { response.cachedAt != nil } else { false }
  }
}

/// A failure as a listener sees it: without secrets.
public struct EventFailure: Sendable {
  private let error: any Error
  private let client: EventSource

  init(_ error: any Error, _ client: EventSource) {
    self.error = error
    self.client = client
  }

  private var known: RequestError? { error as? RequestError }

  /// The kind of the failure; nil for an error of the application's.
  public var code: RequestError.Code? { known?.code }

  /// The description of the failure. Of an error of the application's it names the type only.
  public var message: String { known?.message ?? "an error of the type \(type(of: error))" }

  /// The status of the response that was refused; nil if there was none.
  public var status: HTTPStatus? { known?.status }

  /// The header fields of the response that was refused, with `***` in the place of each secret.
  public var fields: HTTPFields? { known?.fields?.masked(hiding: client.secrets) }

  /// False only if certainly no bytes reached the server.
  public var reachedServer: Bool { known?.reachedServer ?? true }

  /// The timing of a response that was refused, if it was read to its end.
  public var timing: Timing? { known?.timing }
}

extension HTTPFields {
  /// Returns the fields with `***` in the place of each secret.
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
