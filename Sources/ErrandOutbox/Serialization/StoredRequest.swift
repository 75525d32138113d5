import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request in its stored form, with everything that is needed to send it as it would have been sent when it
/// was stored.
struct StoredRequest: Sendable {
  var method: HTTPMethod
  /// The absolute URL.
  var url: String
  /// The header fields, in order, one for each line.
  var fields: HTTPFields
  var body: StoredBody
  var options: StoredOptions
}

extension StoredRequest {
  /// Returns the request to send.
  func request(opening opener: StoredBodyOpener) -> Request {
    var request = Request(method, url, fields: fields, body: body.body(opening: opener))
    if options != .none, let options = options.options { request.options = options }
    return request
  }
}

extension StoredBody {
  fileprivate func body(opening opener: StoredBodyOpener) -> RequestBody {
    if kind == .none { return .none }
    if kind == .bytes, let contentType, let data = bytesAtHand {
      return .bytes(data, contentType: contentType)
    }
    return .source(length: length, contentType: contentType) { try opener.open() }
  }

  /// The complete body, unless it is in a file.
  private var bytesAtHand: Data? {
    switch segments.first {
    case nil: Data()
    case .bytes(let data): data
    case .file: nil
    }
  }
}

/// The stored form of a request, as `ByteWriter` writes it:
///
/// - a byte: the version
/// - texts: the method and the URL
/// - a number, and for each header field two texts
/// - a text: the kind of body
/// - a byte and, if it is 1, a text: the content type
/// - a number, and for each segment of the body a text and a number: the name of its file (empty for bytes
///   that are stored here) and its length
/// - data: the options that were set, as JSON; empty if no option was set
/// - the bytes of the segments that are not in files, one after the other
extension StoredRequest {
  private static let version: UInt8 = 1

  func encoded() -> Data {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.text(method.rawValue)
    writer.text(url)
    writer.fields(fields)
    writer.text(body.kind.rawValue)
    writer.byte(body.contentType == nil ? 0 : 1)
    if let contentType = body.contentType { writer.text(contentType) }
    writer.number(Int64(body.segments.count))
    for segment in body.segments {
      if case .file(let name, _) = segment { writer.text(name) } else { writer.text("") }
      writer.number(segment.length)
    }
    writer.data(options.encoded())
    for case .bytes(let bytes) in body.segments { writer.raw(bytes) }
    return writer.data
  }

  /// Decodes a stored request.
  /// - Throws: `.damaged` if the data is not a stored request, `.tooNew` if a later version stored it.
  init(decoding data: Data) throws(OutboxError) {
    var reader = ByteReader(data)
    let version = try? reader.byte()
    if let version, version > Self.version {
      throw OutboxError(.tooNew, "a later version of Errand stored this request; update Errand to send it")
    }
    guard version == Self.version, let found = try? StoredRequest(reading: &reader) else {
      throw OutboxError(
        .damaged, "the stored request cannot be read; its bytes have changed since it was stored")
    }
    self = found
  }

  private init(reading reader: inout ByteReader) throws(ByteReader.Malformed) {
    method = HTTPMethod(try reader.text())
    url = try reader.text()
    fields = try reader.fields()
    guard let kind = StoredBody.Kind(rawValue: try reader.text()) else { throw ByteReader.Malformed() }
    let contentType: String? = try reader.byte() == 0 ? nil : try reader.text()
    var described: [(name: String, length: Int64)] = []
    var total: Int64 = 0
    for _ in 0..<(try reader.count()) {
      let (name, length) = (try reader.text(), try reader.number())
      guard length >= 0, length <= StoredBody.longest - total, name.isEmpty || StoredBlob.isName(name)
      else { throw ByteReader.Malformed() }
      total += length
      described.append((name, length))
    }
    guard let options = StoredOptions(decoding: try reader.data()), options.options != nil else {
      throw ByteReader.Malformed()
    }
    self.options = options
    var segments: [StoredBody.Segment] = []
    for (name, length) in described {
      segments.append(
        name.isEmpty ? .bytes(try reader.raw(length)) : .file(name: name, length: length))
    }
    body = StoredBody(kind: kind, contentType: contentType, segments: segments)
    guard kind.canConsist(ofSegments: segments.count), reader.isAtEnd else { throw ByteReader.Malformed() }
  }
}

extension StoredOptions {
  /// Returns the options as JSON; empty if no option was set, as for most requests.
  func encoded() -> Data {
    if self == Self.none { return Data() }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(self) else { preconditionFailure("text and numbers can be encoded") }
    return json
  }

  fileprivate init?(decoding data: Data) {
    if data.isEmpty {
      self = Self.none
    } else if let found = try? JSONDecoder().decode(StoredOptions.self, from: data) {
      self = found
    } else {
      return nil
    }
  }
}
