/// The status and the header fields of a response.
public struct ResponseHead: Sendable, Hashable {
  public let status: HTTPStatus
  public let fields: HTTPFields

  public init(status: HTTPStatus, fields: HTTPFields) {
    self.status = status
    self.fields = fields
  }

  /// The announced length in bytes; nil if there is none, or if the body is compressed.
  public var contentLength: Int64? { isCoded ? nil : announcedLength.bytes }

  /// True if the body has a content coding, such as gzip: then its announced length is that of the coded bytes.
  var isCoded: Bool { fields.contains("Content-Encoding") && !contentCodings.isEmpty }

  /// The content codings, in the order in which they were applied, in lower case.
  var contentCodings: [String] {
    fields.values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }
      .map { ASCII.lowercased(ASCII.trimmed($0)) }.filter { !["", "identity", "none"].contains($0) }
  }

  /// Returns the length of the body of this response to a request.
  func announcedLength(to method: HTTPMethod) -> AnnouncedLength {
    status.mayHaveBody(to: method) ? announcedLength : .zero
  }

  private var announcedLength: AnnouncedLength {
    var length = AnnouncedLength()
    fields.forEachValue(of: AnnouncedLength.fieldName) { length.take($0) }
    // A transfer coding overrides it (RFC 9112, section 6.3).
    if length.bytes != nil, fields.contains("Transfer-Encoding") { return AnnouncedLength() }
    return length
  }
}

/// The length that a head announces in `Content-Length`, which may be repeated, in one line or several, if it
/// stays the same (RFC 9112, section 6.3).
package struct AnnouncedLength {
  package static let fieldName = "Content-Length"

  private enum Fault {
    case unreadable
    case conflicting
  }

  /// In bytes; nil if none is announced, or if there is a problem.
  package private(set) var bytes: Int64?
  private var fault: Fault?

  package init() {}

  /// The length of a response without a body.
  static let zero: Self = {
    var zero = Self()
    zero.bytes = 0
    return zero
  }()

  /// The reason why it is unknown where the body ends, so that a cut one would pass for the whole; nil if
  /// there is none.
  package var problem: String? {
    switch fault {
    case .unreadable: "the response announces no length that can be read (Content-Length)"
    case .conflicting: "the response announces two different lengths (Content-Length)"
    case nil: nil
    }
  }

  package mutating func take(_ value: String) {
    // Nearly every response has one number.
    if let number = ASCII.wholeNumber(value) { return take(number) }
    let parts = value.split(separator: ",", omittingEmptySubsequences: false)
    for part in parts { take(ASCII.wholeNumber(parts.count > 1 ? ASCII.trimmed(part) : value)) }
  }

  /// - Parameter number: Nil if it cannot be read.
  package mutating func take(_ number: Int64?) {
    guard fault == nil else { return }
    if number == nil {
      fault = .unreadable
    } else if let bytes, bytes != number {
      fault = .conflicting
    }
    bytes = fault == nil ? number : nil
  }
}

/// The status code of a response (RFC 9110, section 15).
public struct HTTPStatus: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  public let code: Int

  public init(_ code: Int) { self.code = code }
  public init(integerLiteral code: Int) { self.code = code }

  public var isInformational: Bool { 100..<200 ~= code }
  public var isSuccess: Bool { 200..<300 ~= code }
  public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(code) }
  public var isClientError: Bool { 400..<500 ~= code }
  public var isServerError: Bool { 500..<600 ~= code }

  /// False for a response without a body, whatever its fields announce (RFC 9112, section 6.3).
  package func mayHaveBody(to method: HTTPMethod) -> Bool { method != .head && self != 204 && self != 304 }

  /// False for a response that brings no content by its meaning, so that nothing is to be stored (RFC 9110,
  /// sections 15.3.5, 15.3.6 and 15.4.5).
  func bringsContent(to method: HTTPMethod) -> Bool { mayHaveBody(to: method) && self != 205 }

  /// The code with its usual reason phrase: `404 Not Found`.
  public var description: String {
    Self.names[code].map { "\(code) \($0)" } ?? "\(code)"
  }

  private static let names = [
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
    412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
    415: "Unsupported Media Type", 416: "Range Not Satisfiable", 418: "I'm a teapot",
    421: "Misdirected Request", 422: "Unprocessable Content", 425: "Too Early",
    426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    507: "Insufficient Storage", 511: "Network Authentication Required",
  ]
}

/// An HTTP version.
public enum HTTPVersion: String, Sendable, Hashable, CustomStringConvertible {
  case http10 = "HTTP/1.0"
  case http11 = "HTTP/1.1"
  case http2 = "HTTP/2"
  case http3 = "HTTP/3"

  public var description: String { rawValue }
}

/// The HTTP version that a request asks for.
///
/// The libcurl transport speaks HTTP/2 with libcurl 8.19 or later (`CurlTransport.supportsHTTP2`). Older versions do not
/// tell which requests a server has processed.
public enum HTTPVersionPreference: String, Sendable, Hashable {
  /// HTTP/2 where the transport supports it and TLS negotiates it, else HTTP/1.1.
  case automatic
  /// HTTP/1.1 only.
  case http1
  /// HTTP/2: negotiated with TLS; over plain http it is assumed without negotiation (prior knowledge). A transport that
  /// does not support HTTP/2 fails the request with `RequestError(.unsupported)`.
  case http2
}
