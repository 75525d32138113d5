public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One attempt, as a `SimulatedNetwork` saw it. Times are those of its clock, since the network was created.
public struct SimulatedAttempt: Sendable {
  public enum End: Sendable, Hashable {
    /// The whole response arrived.
    case responded(HTTPStatus)
    /// It failed, because of a fault of the network or because the client rejected the response.
    case failed(RequestError.Code)
    /// The client cancelled it.
    case cancelled
  }

  /// The attempt's index among all attempts, from 0.
  public let index: Int
  public let method: HTTPMethod
  public let url: URL
  public let fields: HTTPFields
  /// The whole body of the request.
  public internal(set) var body = Data()
  /// When the transport was asked to perform it.
  public let began: Duration
  /// When the server received the request; nil if it did not.
  public internal(set) var seen: Duration?
  /// The head of the response, if it arrived.
  public internal(set) var response: ResponseHead?
  public internal(set) var ended: Duration?
  public internal(set) var end: End?

  init(index: Int, _ request: Exchange.Request, began: Duration) {
    self.index = index
    method = request.method
    url = request.url
    fields = request.fields
    self.began = began
  }

  public var host: String { url.host() ?? "" }
  /// The path of the URL, percent-encoded.
  public var path: String { url.path() }

  /// The body as UTF-8 text; invalid bytes are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }
}

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
    return ResponseHead(status: HTTPStatus(status), fields: fields)
  }
}
