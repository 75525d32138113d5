public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The part of a server's response that the outbox stores. If the response or the request says
/// `Cache-Control: no-store`, the outbox stores only the status. It publishes the header fields and the body
/// once, in the process that delivered the request.
public struct OutboxResponse: Sendable, Hashable {
  /// The status code and its phrase.
  public let status: HTTPStatus
  /// The header fields without cookies and other secrets.
  public let fields: HTTPFields
  /// The body, or its first bytes (`OutboxConfiguration.responseLimit`).
  public let body: Data
  /// False if the body is longer than `body`.
  public let isWhole: Bool

  init(status: HTTPStatus, fields: HTTPFields, body: Data, isWhole: Bool, limit: Int) {
    self.status = status
    self.fields = fields.contains(where: \.isSecret) ? fields.withoutSecrets : fields
    self.body = body.count > limit ? Data(body.prefix(limit)) : body
    self.isWhole = isWhole && body.count <= limit
  }
}

extension OutboxResponse {
  /// Returns the server's explanation, as it may be shown; nil if the body has no readable text.
  func words(hiding secrets: Secrets) -> String? {
    ServerWords(secrets: secrets).words(body, fields["Content-Type"], isWhole: isWhole)
  }
}

extension HTTPFields {
  fileprivate var withoutSecrets: HTTPFields {
    var others: HTTPFields = [:]
    for field in self where !field.isSecret { others.append(field.name, field.value) }
    return others
  }
}

extension OutboxResponse {
  private static let version: UInt8 = 1

  /// Returns the stored form: the version, the status, `isWhole`, the header fields, the body.
  func encoded() -> Data {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.number(Int64(status.code))
    writer.byte(isWhole ? 1 : 0)
    writer.fields(fields)
    writer.data(body)
    return writer.data
  }

  /// Decodes a stored response; nil if the data is not one.
  init?(decoding data: Data) {
    var reader = ByteReader(data)
    guard let found = try? OutboxResponse(reading: &reader) else { return nil }
    self = found
  }

  private init(reading reader: inout ByteReader) throws(ByteReader.Malformed) {
    guard try reader.byte() == Self.version else { throw ByteReader.Malformed() }
    status = HTTPStatus(Int(truncatingIfNeeded: try reader.number()))
    isWhole = try reader.byte() == 1
    fields = try reader.fields()
    body = try reader.data()
  }
}

extension OutboxResponse {
  /// Stands in for the response to a delivered request if it is unknown.
  static let unknown = OutboxResponse(
    status: HTTPStatus(200), fields: [:], body: Data(), isWhole: false, limit: 0)
}
