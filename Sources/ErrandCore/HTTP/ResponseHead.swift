/// The status and the fields of an answer.
public struct ResponseHead: Sendable, Hashable {
  public let status: Status
  public let fields: HTTPFields

  public init(status: Status, fields: HTTPFields) {
    self.status = status
    self.fields = fields
  }

  /// The length that was announced, or nil: not announced, or that of a compressed body.
  public var contentLength: Int64? {
    guard !fields.contains("Content-Encoding") else { return nil }
    return fields["Content-Length"].flatMap { ASCII.wholeNumber($0) }
  }
}
