import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The part of a stored request that may be shown, stored separately from its content.
struct RequestSummary: Sendable, Hashable {
  var method: HTTPMethod
  /// The URL without its secrets.
  var url: String
  /// The idempotency key, which stays the same in every attempt. It is the value that was set, without the
  /// quotes around it.
  var idempotencyKey: String
  var body: StoredBody.Kind
  /// The number of bytes of the body.
  var bodyLength: Int64

  init(_ request: StoredRequest, shownURL: String) {
    method = request.method
    url = shownURL
    idempotencyKey = request.fields["Idempotency-Key"].map(Self.unquoted) ?? ""
    body = request.body.kind
    bodyLength = request.body.length
  }

  private static func unquoted(_ text: String) -> String {
    let quote = UInt8(ascii: "\"")
    guard text.utf8.count >= 2, text.utf8.first == quote, text.utf8.last == quote else { return text }
    var inner = Substring(text.utf8.dropFirst().dropLast())[...]
    guard inner.utf8.contains(UInt8(ascii: "\\")) else { return String(inner) }
    var key = ""
    while let scalar = inner.unicodeScalars.popFirst() {
      key.unicodeScalars.append(scalar == "\\" ? inner.unicodeScalars.popFirst() ?? scalar : scalar)
    }
    return key
  }
}

extension RequestSummary {
  private static let version: UInt8 = 1

  func encoded() -> Data {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.text(method.rawValue)
    writer.text(url)
    writer.text(idempotencyKey)
    writer.text(body.rawValue)
    writer.number(bodyLength)
    return writer.data
  }

  /// Decodes a summary.
  /// - Throws: `.damaged` if the data is not a summary.
  init(decoding data: Data) throws(OutboxError) {
    var reader = ByteReader(data)
    guard let found = try? RequestSummary(reading: &reader) else {
      throw OutboxError(
        .damaged, "the summary of a stored request cannot be read; its bytes have changed since it was stored"
      )
    }
    self = found
  }

  private init(reading reader: inout ByteReader) throws(ByteReader.Malformed) {
    guard try reader.byte() == Self.version else { throw ByteReader.Malformed() }
    method = HTTPMethod(try reader.text())
    url = try reader.text()
    idempotencyKey = try reader.text()
    guard let kind = StoredBody.Kind(rawValue: try reader.text()) else { throw ByteReader.Malformed() }
    body = kind
    bodyLength = try reader.number()
    guard reader.isAtEnd else { throw ByteReader.Malformed() }
  }
}
