#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The body of a request. Every kind of body except a stream can be read again for another attempt.
public struct RequestBody: Sendable, Hashable {
  enum Content: Sendable, Hashable {
    case none
    case bytes(Data)
    case json(JSONValue)
    case file(path: String)
    case multipart(MultipartForm)
    case stream(BodyStream)
    case source(BodySource)
    case trailed(TrailedBody)
    case invalid(reason: String)
  }

  let content: Content
  /// The value of `Content-Type`, unless the request sets that header field itself.
  public let contentType: String?

  init(_ content: Content, _ contentType: String?) {
    self.content = content
    self.contentType = contentType
  }

  /// No body.
  public static let none = RequestBody(.none, nil)

  /// Makes a body of bytes.
  public static func bytes(_ data: Data, contentType: String = "application/octet-stream") -> RequestBody {
    RequestBody(.bytes(data), contentType)
  }

  /// Makes a body of text, as UTF-8.
  public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestBody {
    RequestBody(.bytes(Data(text.utf8)), contentType)
  }

  /// Makes a body of a value as JSON (RFC 8259). `ClientConfiguration.jsonEncoder` encodes it each time the
  /// request is sent, once for all attempts. If encoding fails, sending throws the reason.
  ///
  /// The keys of objects are sorted, so equal values make equal requests. A `Set` becomes an array in an
  /// order that may differ between equal sets: sort it, or set a key where you share or ignore repeats.
  public static func json(_ value: some Encodable & Sendable) -> RequestBody {
    RequestBody(.json(JSONValue { try $0.encode(value) }), jsonType)
  }

  /// Makes a body of a value as JSON, which is encoded at once, with sorted keys. If encoding fails, sending
  /// the request throws the reason.
  /// - Parameter encoder: The encoder, which is not changed. A subclass of `JSONEncoder` has to sort keys
  ///   itself.
  public static func json(_ value: some Encodable, encoder: JSONEncoder) -> RequestBody {
    encoded { try encoder.sortingKeys.encode(value) }
  }

  /// Returns a JSON body as bytes, and any other body unchanged.
  /// - Parameter encoder: Makes the encoder; nil for Foundation's.
  func encoded(by encoder: (() -> JSONEncoder)? = nil) -> RequestBody {
    switch content {
    case .json(let value): Self.encoded { try value.encode(encoder?().sortingKeys ?? .plain) }
    case .trailed(let trailed): trailed.body.encoded(by: encoder).trailed(by: trailed.trailers)
    default: self
    }
  }

  /// The reason why the body cannot be sent, or nil.
  var problem: String? {
    switch content {
    case .invalid(let reason): reason
    case .json: encoded().problem
    case .trailed(let trailed): trailed.problem
    default: nil
    }
  }

  private static let jsonType = "application/json"

  private static func encoded(_ encode: () throws -> Data) -> RequestBody {
    do {
      return RequestBody(.bytes(try encode()), jsonType)
    } catch {
      return RequestBody(.invalid(reason: "the JSON body cannot be encoded: \(error.problemOfValue)"), nil)
    }
  }

  /// Makes a body of names and values as `application/x-www-form-urlencoded`, in order.
  public static func form(_ items: KeyValuePairs<String, String>) -> RequestBody {
    form(items.map { ($0.key, $0.value) })
  }

  /// Makes a body of names and values as `application/x-www-form-urlencoded`, in order.
  public static func form(_ items: some Sequence<(String, String)>) -> RequestBody {
    let text = items.map { "\(PercentEncoding.form($0))=\(PercentEncoding.form($1))" }.joined(separator: "&")
    return RequestBody(.bytes(Data(text.utf8)), "application/x-www-form-urlencoded")
  }

  /// Makes a body of a file, which is read while it is sent. Its length must not change until then.
  /// - Parameter contentType: The media type. Default: derived from the file's extension.
  public static func file(_ file: URL, contentType: String? = nil) -> RequestBody {
    let path = file.path
    return RequestBody(.file(path: path), contentType ?? MediaType.ofFile(named: path))
  }

  /// Makes a body of fields and files as `multipart/form-data` (RFC 7578). Files are read from disk while
  /// they are sent.
  public static func multipart(_ form: MultipartForm) -> RequestBody {
    if let problem = form.problem { return RequestBody(.invalid(reason: problem), nil) }
    return RequestBody(.multipart(form), form.contentType)
  }

  /// Makes a body of chunks from an async sequence. It can be read only once, so its request is not retried.
  /// - Parameter length: The sum of the chunks' bytes, if it is known; sending fails if the stream has
  ///   another length. Default: nil, which sends the body chunked.
  public static func stream<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int64? = nil, contentType: String = "application/octet-stream"
  ) -> RequestBody where Chunks.Element == Data {
    RequestBody(.stream(BodyStream(chunks, length: length)), contentType)
  }

  /// Makes a body that `open` opens for each attempt.
  /// - Parameters:
  ///   - length: The length in bytes, for descriptions. The request is sent with the reader's own length.
  ///   - open: Opens the body. If it throws, the request fails with its error.
  package static func source(
    length: Int64?, contentType: String?, _ open: @escaping @Sendable () throws -> any BodyReader
  ) -> RequestBody {
    RequestBody(.source(BodySource(length: length, open: open)), contentType)
  }

  /// True if the body can be read again, for another attempt; false for a stream.
  package var isReplayable: Bool {
    switch content {
    case .stream: false
    case .trailed(let trailed): trailed.body.isReplayable
    default: true
    }
  }

  package var isNone: Bool { content == .none }

  /// The same body, with which no `Content-Type` is sent.
  package var withoutContentType: RequestBody { RequestBody(content, nil) }
}

extension RequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind and the size, never the content.
  public var description: String {
    switch content {
    case .none: "no body"
    case .bytes(let data): "\(data.count) bytes"
    case .json: "JSON"
    case .file(let path): LogText.line("file \(path)")
    case .multipart(let form): "multipart, \(form.parts.count) parts"
    case .stream: "stream"
    case .source(let source): source.length.map { "\($0) bytes" } ?? "bytes"
    case .trailed(let trailed): "\(trailed.body) with trailers"
    case .invalid(let reason): LogText.line(reason)
    }
  }
  public var debugDescription: String { description }
  /// A mirror that shows the description, never the content.
  public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}

/// Chunks that can be read only once. Two streams are equal only if they are the same object.
final class BodyStream: Sendable, Hashable {
  /// Offers each chunk to the reader, until the reader returns false or the chunks have ended.
  typealias Reading = @Sendable (_ offer: (Data) async throws -> Bool) async throws -> Void

  let length: Int64?
  private let reading: Locked<Reading?>

  init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64?) where Chunks.Element == Data {
    self.length = length
    reading = Locked { offer in
      for try await chunk in chunks {
        guard try await offer(chunk) else { return }
      }
    }
  }

  /// Returns the function that reads the chunks to the first caller, and nil to later callers.
  func take() -> Reading? {
    reading.withLock { reading in
      defer { reading = nil }
      return reading
    }
  }

  static func == (left: BodyStream, right: BodyStream) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension RequestBody {
  /// True for a body that costs more to send twice than a request without one.
  package var isLarge: Bool {
    switch content {
    case .none, .invalid: false
    case .file, .stream, .source: true
    case .trailed(let trailed): trailed.body.isLarge
    case .bytes, .json, .multipart: length ?? .max > 4096
    }
  }
}
