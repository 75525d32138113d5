public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A response of the server of a `SimulatedNetwork`.
public struct SimulatedResponse: Sendable {
  public var status: Int
  /// The header fields. `Content-Length` is added unless it is here.
  public var fields: HTTPFields
  public var body: Data

  public init(status: Int = 200, fields: HTTPFields = [:], body: Data = Data()) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  public init(status: Int = 200, fields: HTTPFields = [:], text: String) {
    self.init(status: status, fields: fields, body: Data(text.utf8))
  }

  var head: ResponseHead {
    var fields = fields
    if !fields.contains("Content-Length") { fields["Content-Length"] = "\(body.count)" }
    return ResponseHead(status: Status(status), fields: fields)
  }
}
