/// The status and the header fields of a response.
public struct ResponseHead: Sendable, Hashable {
  public let status: Status
  public let fields: HTTPFields

  public init(status: Status, fields: HTTPFields) {
    self.status = status
    self.fields = fields
  }

  /// The announced length in bytes; nil if there is none, or if the body is compressed.
  public var contentLength: Int64? {
    guard !fields.contains("Content-Encoding") else { return nil }
    return fields["Content-Length"].flatMap { ASCII.wholeNumber($0) }
  }
}
