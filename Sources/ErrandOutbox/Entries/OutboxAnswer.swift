public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a server answered to a stored request: as much of it as is kept. Where the response, or the request, says
/// `Cache-Control: no-store`, that is its status alone; all of it is told once, in the process that has delivered it.
public struct OutboxAnswer: Sendable, Hashable {
  public let status: Status
  /// Without cookies.
  public let fields: HTTPFields
  /// The body, or the first part of it (`OutboxConfiguration.answerLimit`).
  public let body: Data
  /// False if the body is longer than what is kept of it.
  public let isWhole: Bool

  init(status: Status, fields: HTTPFields, body: Data, isWhole: Bool, limit: Int) {
    self.status = status
    self.fields = fields.contains(where: \.isSecret) ? fields.withoutSecrets : fields
    self.body = body.count > limit ? Data(body.prefix(limit)) : body
    self.isWhole = isWhole && body.count <= limit
  }
}

extension HTTPFields {
  fileprivate var withoutSecrets: HTTPFields {
    var kept: HTTPFields = [:]
    for field in self where !field.isSecret { kept.append(field.name, field.value) }
    return kept
  }
}

extension OutboxAnswer {
  private static let version: UInt8 = 1

  /// As it is kept: the version, the status, whether it is whole, the fields, the body.
  func encoded() -> Data {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.number(Int64(status.rawValue))
    writer.byte(isWhole ? 1 : 0)
    writer.fields(fields)
    writer.data(body)
    return writer.data
  }

  /// Nil if this is none.
  init?(decoding data: Data) {
    var reader = ByteReader(data)
    guard let found = try? OutboxAnswer(reading: &reader) else { return nil }
    self = found
  }

  private init(reading reader: inout ByteReader) throws(ByteReader.Malformed) {
    guard try reader.byte() == Self.version else { throw ByteReader.Malformed() }
    status = Status(Int(truncatingIfNeeded: try reader.number()))
    isWhole = try reader.byte() == 1
    fields = try reader.fields()
    body = try reader.data()
  }
}
