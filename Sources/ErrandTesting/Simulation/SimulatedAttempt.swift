public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The record of one attempt on a `SimulatedNetwork`. Its times are measured on the network's clock, from the
/// creation of the network.
public struct SimulatedAttempt: Sendable {
  /// How an attempt ended.
  public enum End: Sendable, Hashable {
    /// The whole response arrived, with this status.
    case responded(HTTPStatus)
    /// The attempt failed because of a network fault, or because the client rejected the response.
    case failed(RequestError.Code)
    /// The client cancelled the attempt.
    case cancelled
  }

  /// The attempt's index among all attempts, from 0.
  public let index: Int
  /// The method of the request.
  public let method: HTTPMethod
  /// The URL of the request.
  public let url: URL
  /// The header fields of the request.
  public let fields: HTTPFields
  /// The body of the request; empty until it has been sent.
  public internal(set) var body = Data()
  /// The time at which the client started the attempt.
  public let began: Duration
  /// The time at which the server received the request; nil if it did not.
  package internal(set) var seen: Duration?
  /// The head of the response; nil if it did not arrive.
  package internal(set) var response: ResponseHead?
  /// The time at which the attempt ended; nil while it is in flight.
  public internal(set) var ended: Duration?
  /// How the attempt ended; nil while it is in flight.
  public internal(set) var end: End?

  init(index: Int, _ request: Exchange.Request, began: Duration) {
    self.index = index
    method = request.method
    url = request.url
    fields = request.fields
    self.began = began
  }

  /// The host of the URL.
  public var host: String { url.host() ?? "" }
  /// The path of the URL, percent-encoded.
  public var path: String { url.path() }

  /// The body as UTF-8 text; invalid bytes are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }
}

/// A response from the server of a `SimulatedNetwork`.
public struct SimulatedResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields. The network adds `Content-Length` if they lack it.
  public var fields: HTTPFields
  /// The body. If it is shorter than `Content-Length`, the attempt fails with a lost connection.
  public var body: Data

  /// Creates a response. Default: 200 without a body.
  public init(status: Int = 200, fields: HTTPFields = [:], body: Data = Data()) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Creates a response with text as its body.
  public init(status: Int = 200, fields: HTTPFields = [:], text: String) {
    self.init(status: status, fields: fields, body: Data(text.utf8))
  }

  var head: ResponseHead {
    var fields = fields
    if !fields.contains("Content-Length") { fields["Content-Length"] = "\(body.count)" }
    return ResponseHead(status: HTTPStatus(status), fields: fields)
  }
}
