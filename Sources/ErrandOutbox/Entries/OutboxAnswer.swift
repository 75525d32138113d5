public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a server answered to a stored request: as much of it as is kept.
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
    var kept: HTTPFields = [:]
    for field in fields where !field.isSecret { kept.append(field.name, field.value) }
    self.fields = kept
    self.body = Data(body.prefix(limit))
    self.isWhole = isWhole && body.count <= limit
  }
}

extension OutboxAnswer: Codable {
  private struct Form: Codable {
    var status: Int
    var fields: [[String]]
    var body: Data?
    var isWhole: Bool
  }

  public init(from decoder: any Decoder) throws {
    let form = try Form(from: decoder)
    var fields: HTTPFields = [:]
    for line in form.fields where line.count == 2 { fields.append(line[0], line[1]) }
    self.status = Status(form.status)
    self.fields = fields
    body = form.body ?? Data()
    isWhole = form.isWhole
  }

  public func encode(to encoder: any Encoder) throws {
    try Form(
      status: status.rawValue, fields: fields.map { [$0.name, $0.value] }, body: body.isEmpty ? nil : body,
      isWhole: isWhole
    ).encode(to: encoder)
  }
}
