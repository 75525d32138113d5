public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A request that a `MockServer` has received.
public struct MockRequest: Sendable, CustomStringConvertible {
  /// The request's index among all requests to the server, from 0, in the order in which their heads were
  /// complete.
  public let index: Int
  /// The number of the request's connection, from 1.
  public let connection: Int
  /// The method in the request line.
  public let method: HTTPMethod
  /// The target in the request line: `/path?query`, or a whole URL if the client uses the server as a proxy.
  public let target: String
  /// The header fields, in the order in which they were sent.
  public let fields: HTTPFields
  /// The bytes of the body that have arrived so far, without the framing of chunks. It is empty in the conditions
  /// of `MockServer.wait`; use `bodyBytes` there.
  public internal(set) var body = Data()
  /// The number of bytes of the body that have arrived so far.
  public internal(set) var bodyBytes = 0
  /// The trailers: the fields that came after the body (RFC 9110, section 6.5). Empty until `isComplete`.
  public internal(set) var trailers = HTTPFields()
  /// True once the last byte of the body has arrived.
  public internal(set) var isComplete = false
  /// True if the client closed or reset the connection before the response was complete.
  public internal(set) var wasAbandoned = false

  init(index: Int, connection: Int, method: HTTPMethod, target: String, fields: HTTPFields) {
    self.index = index
    self.connection = connection
    self.method = method
    self.target = target
    self.fields = fields
  }

  /// The target without its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The part of the target after the question mark; nil without a question mark.
  public var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// The body as UTF-8 text; invalid bytes are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  public var description: String {
    "\(method) \(target) on connection \(connection), "
      + "\(bodyBytes) bytes of body\(isComplete ? "" : " so far")\(wasAbandoned ? ", abandoned" : "")"
  }
}

/// A connection to a `MockServer`.
public struct MockConnection: Sendable, Hashable, CustomStringConvertible {
  /// How a connection ended.
  public enum End: String, Sendable, Hashable {
    /// The client closed the connection with a FIN.
    case closedByClient
    /// The client reset the connection with an RST. It also sends one if it closes with unread data.
    case resetByClient
    /// The server closed the connection with a FIN.
    case closedByServer
    /// The server reset the connection with an RST.
    case resetByServer
  }

  /// The connection's number, from 1, in the order in which connections were accepted.
  public let number: Int
  /// How the connection ended; nil while it is open.
  public internal(set) var end: End?
  /// The number of bytes that the server passed to the system to send, including heads and framing.
  public internal(set) var bytesSent = 0
  /// The number of bytes that arrived, including heads and framing.
  public internal(set) var bytesReceived = 0
  /// The number of requests that arrived on the connection.
  public internal(set) var requests = 0

  init(number: Int) { self.number = number }

  /// True while the connection has not ended.
  public var isOpen: Bool { end == nil }

  public var description: String {
    "connection \(number): \(requests) requests, \(end?.rawValue ?? "open")"
  }
}
