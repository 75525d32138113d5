#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What came back: an answer that has passed validation.
public struct Response: Sendable {
  private struct Parts: Sendable {
    let status: Status
    let fields: HTTPFields
    let url: URL
    var body: ResponseBody
    var timing: Timing
    var keptAt: Date?
    /// How it was asked for; nil for one that an interceptor gave, until it leaves the chain.
    let method: Method?
    /// What no description shows: the client's.
    var secrets: Secrets
  }

  // Every stage that it comes through has room for it, and so has everyone who waits for it.
  private var parts: Boxed<Parts>

  public var status: Status { parts.value.status }

  public var fields: HTTPFields { parts.value.fields }

  /// Where the body is; `data`, `file` and `chunks` take it out.
  public var body: ResponseBody {
    _read { yield parts.value.body }
    _modify { yield &parts.value.body }
  }

  /// The URL that answered, after redirects.
  public var url: URL { parts.value.url }

  /// How long each step took and what went over the wire. Of a stream only what is known at its head: `queue`, `total`,
  /// `tries` and `redirects`; the rest is in `chunks.timing`, after the last chunk.
  public var timing: Timing {
    _read { yield parts.value.timing }
    _modify { yield &parts.value.timing }
  }

  /// When it was kept, if it is one that was kept and not the network's.
  public internal(set) var keptAt: Date? {
    get { parts.value.keptAt }
    set { parts.value.keptAt = newValue }
  }

  /// What its descriptions and errors do not show.
  var secrets: Secrets { parts.value.secrets }

  /// The same response, when it did not come from the wire: errors about it name the method and show no secret of the client.
  func handedOver(_ method: Method, hiding secrets: Secrets) -> Response {
    var response = Response(
      head: ResponseHead(status: status, fields: fields), body: body, url: url, timing: timing,
      method: method, secrets: secrets)
    if let keptAt { response.keptAt = keptAt }
    return response
  }

  /// True if errors about it name the method.
  var isNamed: Bool { parts.value.method != nil }

  /// An answer that an interceptor gives by itself.
  public init(status: Status, fields: HTTPFields = [:], data: Data = Data(), url: URL) {
    self.init(
      head: ResponseHead(status: status, fields: fields), body: .data(data), url: url, timing: Timing())
  }

  init(
    head: ResponseHead, body: ResponseBody, url: URL, timing: Timing, method: Method? = nil,
    secrets: Secrets = .standard
  ) {
    parts = Boxed(
      Parts(
        status: head.status, fields: head.fields, url: url, body: body, timing: timing, method: method,
        secrets: secrets))
  }

  /// The body of an answer that was sent for with `send`; empty for the other kinds.
  public var data: Data {
    if case .data(let data) = body { data } else { Data() }
  }

  /// The body as text: UTF-8, with what is not valid replaced.
  public var text: String { String(decoding: data, as: UTF8.self) }

  /// The file of an answer that was sent for with `download`.
  public var file: URL? {
    if case .file(let file) = body { file } else { nil }
  }

  /// The body, chunk by chunk, of an answer that was sent for with `stream`; of one that was sent for with `send` it is
  /// one chunk, of a download none.
  public var chunks: ByteStream {
    if case .chunks(let chunks) = body { chunks } else { ByteStream(data) }
  }

  /// The body's JSON as a value.
  /// - Throws: `RequestError(.decodingFailed)`, which names the request and says where in the JSON it went wrong.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    do {
      let json: Data
      if let file { json = try Data(contentsOf: file) } else { json = data }
      return try decoder.decode(type, from: json)
    } catch {
      throw RequestError(
        .decodingFailed, message: "the answer is not the expected \(type): \(Self.explain(error))",
        method: parts.value.method, url: secrets.redact(url.absoluteString), status: status,
        reachedServer: true,
        underlying: error, bodyPrefix: data.prefix(1024))
    }
  }

  private static func explain(_ error: any Error) -> String {
    func at(_ path: [any CodingKey]) -> String {
      path.isEmpty
        ? "at the top"
        : "at " + path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context): "no \(key.stringValue) \(at(context.codingPath))"
    case DecodingError.typeMismatch(let type, let context): "no \(type) \(at(context.codingPath))"
    case DecodingError.valueNotFound(let type, let context): "null for a \(type) \(at(context.codingPath))"
    case DecodingError.dataCorrupted(let context): "\(context.debugDescription) \(at(context.codingPath))"
    default: "\(error)"
    }
  }
}

/// Where the body of an answer is.
public enum ResponseBody: Sendable {
  case data(Data)
  case file(URL)
  case chunks(ByteStream)
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status and the URL, without its secrets.
  public var description: String { "\(status) from \(secrets.redact(url.absoluteString))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror {
    Mirror(self, children: ["response": description, "fields": fields.hiding(secrets)])
  }
}
