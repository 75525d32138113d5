#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A response that has passed validation.
public struct Response: Sendable {
  private struct Parts: Sendable {
    var head: ResponseHead
    var url: URL
    var body: ResponseBody
    var timing: Timing
    var cachedAt: Date?
    /// Boxed, because most responses have none, and the parts are copied.
    var rare: Boxed<Rare>?
    /// True if the rest of the body was not received, because only the head is needed.
    var isCut = false
    /// The method of the request. It is nil for a response that an interceptor created, until it leaves the
    /// chain.
    let method: HTTPMethod?
    /// The client's secrets, which no description shows.
    var secrets: Secrets
    let decoder: (@Sendable () -> JSONDecoder)?
  }

  /// The properties that only few responses have.
  struct Rare: Sendable {
    var cacheStatus: CacheStatus?
    var trailers = HTTPFields()
  }

  // Boxed, because every stage that a response passes reserves stack space for it, and so does every waiting
  // caller.
  private var parts: Boxed<Parts>

  /// The status of the response.
  public var status: HTTPStatus { parts.value.head.status }

  /// The header fields of the response.
  public var fields: HTTPFields { parts.value.head.fields }

  package var head: ResponseHead { parts.value.head }

  /// The body in memory, in a file or as a stream. `data`, `file` and `chunks` give access to it.
  package var body: ResponseBody {
    _read { yield parts.value.body }
    _modify { yield &parts.value.body }
  }

  /// The URL that the response came from, after redirects.
  public var url: URL { parts.value.url }

  /// How long each step took, and how many bytes were transferred. A stream has only the values that are
  /// known with the head: `queue`, `total`, `attempts` and `redirects`. The others are in `chunks.timing`
  /// after the last chunk.
  public var timing: Timing {
    _read { yield parts.value.timing }
    _modify { yield &parts.value.timing }
  }

  /// When the response was cached, by the wall clock; nil if it came from the network.
  public internal(set) var cachedAt: Date? {
    get { parts.value.cachedAt }
    set { parts.value.cachedAt = newValue }
  }

  /// The action of the HTTP cache, and its reason; nil for a response to a request that does not use it.
  public internal(set) var cacheStatus: CacheStatus? {
    get { rare?.cacheStatus }
    set { change { $0.cacheStatus = newValue } }
  }

  /// The trailers: the fields that came after the body, in order (RFC 9110, section 6.5). Empty without
  /// trailers. For a stream, they are empty until the last chunk has been read.
  ///
  /// They are never merged into `fields`. Fields that a recipient needs before the body are dropped: framing,
  /// routing, authentication, cookies, and those that describe the body, such as `Content-Type` (RFC 9110,
  /// section 6.5.1). A cached response has no trailers, and neither has a response that came over
  /// `URLSessionTransport`, which does not report them. `CurlConfiguration.maxFieldBytes` limits their size.
  ///
  /// A server may send trailers only if the request has the field `TE: trailers`, which Errand does not add.
  public internal(set) var trailers: HTTPFields {
    get { if case .chunks(let chunks) = body { chunks.trailers } else { rare?.trailers ?? [:] } }
    set { change { $0.trailers = newValue } }
  }

  private var rare: Rare? { parts.value.rare?.value }

  private func changed(_ change: (inout Rare) -> Void) -> Boxed<Rare> {
    var rare = rare ?? Rare()
    change(&rare)
    return Boxed(rare)
  }

  private mutating func change(_ change: (inout Rare) -> Void) { parts.value.rare = changed(change) }

  /// True if the server has no newer version (304), so that a conditional download has left the file as it is.
  public var isUnchanged: Bool { status == 304 }

  /// True if the rest of the body was not received, because only the head is needed.
  var isCut: Bool {
    get { parts.value.isCut }
    set { parts.value.isCut = newValue }
  }

  /// The secrets that the response's descriptions and errors do not show.
  var secrets: Secrets { parts.value.secrets }

  /// Returns the same response for one that did not come from the wire. Errors about it then name the method
  /// and show none of the client's secrets, and the client's decoder decodes it.
  func handedOver(
    _ method: HTTPMethod, hiding secrets: Secrets, decoder: (@Sendable () -> JSONDecoder)?
  ) -> Response {
    var response = Response(
      head: head, body: body, url: url, timing: timing, method: method, secrets: secrets, decoder: decoder)
    if let cachedAt { response.cachedAt = cachedAt }
    if let rare = parts.value.rare { response.parts.value.rare = rare }
    return response
  }

  /// False if the response has no content, by its status and its request's method. An empty body is then not
  /// a file.
  var bringsContent: Bool { status.bringsContent(to: parts.value.method ?? .get) }

  /// True if errors about the response name the method.
  var isNamed: Bool { parts.value.method != nil }

  /// Creates a response, for an interceptor that does not ask the network.
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - fields: The header fields. Default: none.
  ///   - data: The body. Default: empty.
  ///   - url: The URL of the request.
  public init(status: HTTPStatus, fields: HTTPFields = [:], data: Data = Data(), url: URL) {
    self.init(
      head: ResponseHead(status: status, fields: fields), body: .data(data), url: url, timing: Timing())
  }

  init(
    head: ResponseHead, body: ResponseBody, url: URL, timing: Timing, method: HTTPMethod? = nil,
    secrets: Secrets = .standard, decoder: (@Sendable () -> JSONDecoder)? = nil, rare: Boxed<Rare>? = nil
  ) {
    parts = Boxed(
      Parts(
        head: head, url: url, body: body, timing: timing, rare: rare, method: method, secrets: secrets,
        decoder: decoder))
  }

  /// The body of a response to `send`. Empty for a download or a stream.
  public var data: Data {
    if case .data(let data) = body { data } else { Data() }
  }

  /// The body as text, in the charset of `Content-Type`, without a byte order mark.
  ///
  /// By WHATWG's Encoding standard, a byte order mark (UTF-8, UTF-16) overrides the header field, ISO-8859-1
  /// and US-ASCII are windows-1252, and GB2312 and GBK are GB18030. UTF-8, UTF-16 and windows-1252 are always
  /// supported. Others (Shift_JIS, EUC-JP, Big5, EUC-KR, windows-125x, KOI8-R, ISO-8859-x) are supported if
  /// the C library's `iconv` knows them. A text without a charset, or with an unknown one, is read as UTF-8.
  /// Invalid bytes become U+FFFD.
  public var text: String { Charset.text(of: data, type: fields["Content-Type"]) }

  /// The file of a response to `download`; nil for other responses.
  public var file: URL? {
    if case .file(let file) = body { file } else { nil }
  }

  /// The body, chunk by chunk, of a response to `stream`. A response to `send` has one chunk, and a download
  /// none.
  public var chunks: ByteStream {
    if case .chunks(let chunks) = body { chunks } else { ByteStream(data) }
  }

  /// Decodes the body's JSON.
  /// - Parameters:
  ///   - type: The type to decode. Default: the type that the context expects.
  ///   - decoder: The decoder. Default: the client's (`ClientConfiguration.jsonDecoder`).
  /// - Throws: `RequestError(.decodingFailed)`, which names the request, the expected type and the place in
  ///   the JSON, but no values and no keys of dictionaries. Its `underlying` error is the decoder's error,
  ///   which may quote them.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil
  ) throws -> Value {
    let json: Data
    do { json = try file.map { try Data(contentsOf: $0) } ?? data } catch {
      throw decodingFailed("the file with the response cannot be read: \(error)", error)
    }
    return try decode(type, from: json, named: "the response", decoder: decoder ?? ownDecoder)
  }

  /// Returns the response to a part of a call as that of the whole call.
  /// - Parameters:
  ///   - url: The URL of the call's request.
  ///   - isSecret: Returns true for the header fields whose values must not be shown.
  package func ofCall(to url: URL, hiding isSecret: (HTTPFields.Field) -> Bool) -> Response {
    var response = self
    response.parts.value.url = url
    response.parts.value.head = ResponseHead(status: status, fields: fields.hiding(where: isSecret))
    return response
  }

  /// A decoder as the client makes it.
  package var ownDecoder: JSONDecoder { parts.value.decoder?() ?? JSONDecoder() }

  /// Decodes a part of the response.
  /// - Parameter name: What the error calls the part.
  package func decode<Value: Decodable>(
    _ type: Value.Type, from json: Data, named name: String, decoder: JSONDecoder
  ) throws -> Value {
    do {
      return try decoder.decode(type, from: json)
    } catch {
      throw decodingFailed("\(name) is not the expected \(type): \(error.problemOfValue)", error)
    }
  }

  /// Returns the error about a part of the response that has not the expected form.
  package func malformed(_ message: String) -> RequestError { decodingFailed(message, nil) }

  private func decodingFailed(_ message: String, _ underlying: (any Error)?) -> RequestError {
    RequestError(
      .decodingFailed, message: message, method: parts.value.method,
      url: secrets.redact(url.absoluteString).clippedURL,
      status: status, reachedServer: true, underlying: underlying, bodyPrefix: data.prefix(1024))
  }
}

/// The body of a response, by its location.
package enum ResponseBody: Sendable {
  /// The body is in memory.
  case data(Data)
  /// The body is in this file.
  case file(URL)
  /// The body arrives as a stream.
  case chunks(ByteStream)
  /// The body is in the cache, and has not been passed on to its destination.
  case stored(CachedBody)

  /// The number of bytes; nil for a stream.
  var count: Int64? {
    switch self {
    case .data(let data): Int64(data.count)
    case .stored(let body): body.count
    case .file(let url): FileDescriptor.status(of: url.path).map { Int64($0.size) }
    case .chunks: nil
    }
  }

  /// The first part of the body, at most 64 KiB; empty for a stream.
  var prefix: Data {
    let limit = RequestError.Rejection.prefixLimit
    switch self {
    case .data(let data): return data.prefix(limit)
    case .chunks: return Data()
    case .stored(let body): return (try? body.piece(at: 0).prefix(limit)) ?? Data()
    case .file(let url): return (try? FileDescriptor(reading: url.path).read(limit, at: 0)) ?? Data()
    }
  }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status and the URL, without its secrets.
  public var description: String {
    LogText.line("\(status) from \(secrets.redact(url.absoluteString).clippedURL)")
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror {
    Mirror(self, children: ["response": description, "fields": fields.hiding(secrets)])
  }
}
