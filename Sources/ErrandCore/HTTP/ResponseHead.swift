/// The status and the header fields of a response.
public struct ResponseHead: Sendable, Hashable {
  /// The status, such as 404.
  public let status: HTTPStatus
  /// The header fields, in the order in which they arrived, if the transport preserves it.
  public let fields: HTTPFields

  /// Makes a head with this status and these header fields.
  public init(status: HTTPStatus, fields: HTTPFields) {
    self.status = status
    self.fields = fields
  }

  /// The length that `Content-Length` announces, in bytes; nil without a valid one, or if the body is
  /// compressed.
  package var contentLength: Int64? { isCoded ? nil : announcedLength.bytes }

  /// True if the body has a content coding, such as gzip. Its announced length is then that of the coded
  /// bytes.
  var isCoded: Bool { fields.contains("Content-Encoding") && !contentCodings.isEmpty }

  /// The content codings in lower case, in the order in which they were applied.
  var contentCodings: [String] {
    fields.values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }
      .map { ASCII.lowercased(ASCII.trimmed($0)) }.filter { !["", "identity", "none"].contains($0) }
  }

  /// Returns the announced length of this response's body; zero if responses to `method` have no body.
  func announcedLength(to method: HTTPMethod) -> AnnouncedLength {
    status.mayHaveBody(to: method) ? announcedLength : .zero
  }

  private var announcedLength: AnnouncedLength {
    var (length, hasCoding) = (AnnouncedLength(), false)
    // Indices, because a loop over the fields would copy each field.
    for index in fields.indices where fields[index].marks.contains(.framing) {
      if ASCII.equalIgnoringCase(fields[index].name, AnnouncedLength.fieldName) {
        length.take(fields[index].value)
      } else {
        hasCoding = true
      }
    }
    // A transfer coding overrides the length (RFC 9112, section 6.3).
    return hasCoding && length.bytes != nil ? AnnouncedLength() : length
  }
}

/// The length that a head announces in `Content-Length`. The value may be repeated, in one line or several,
/// if it is the same each time (RFC 9112, section 6.3).
package struct AnnouncedLength {
  package static let fieldName = "Content-Length"

  private enum Fault {
    case unreadable
    case conflicting
  }

  /// The length in bytes; nil if the head announces no length, or if there is a problem.
  package private(set) var bytes: Int64?
  private var fault: Fault?

  package init() {}

  /// The length of a response without a body.
  static let zero: Self = {
    var zero = Self()
    zero.bytes = 0
    return zero
  }()

  /// The reason why the end of the body is unknown, so that an incomplete body could pass for complete; nil
  /// without a problem.
  package var problem: String? {
    switch fault {
    case .unreadable: "the Content-Length of the response is not a valid number"
    case .conflicting: "the response has two different values of Content-Length"
    case nil: nil
    }
  }

  package mutating func take(_ value: String) {
    // Nearly every response has a single number.
    if let number = ASCII.wholeNumber(value) { return take(number) }
    let parts = value.split(separator: ",", omittingEmptySubsequences: false)
    for part in parts { take(ASCII.wholeNumber(parts.count > 1 ? ASCII.trimmed(part) : value)) }
  }

  /// - Parameter number: The length; nil if it cannot be parsed.
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
  /// The code, such as 404.
  public let code: Int

  /// Makes a status of the given code, which is not checked.
  public init(_ code: Int) { self.code = code }
  /// Makes a status from an integer literal.
  public init(integerLiteral code: Int) { self.code = code }

  /// True for 200 to 299.
  public var isSuccess: Bool { 200..<300 ~= code }
  /// True for the statuses by which a server redirects: 301, 302, 303, 307 and 308.
  package var isRedirect: Bool {
    switch code {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }
  /// True for 400 to 499.
  public var isClientError: Bool { 400..<500 ~= code }
  /// True for 500 to 599.
  public var isServerError: Bool { 500..<600 ~= code }

  /// Returns false if the response has no body, whatever its fields announce (RFC 9112, section 6.3).
  package func mayHaveBody(to method: HTTPMethod) -> Bool { method != .head && self != 204 && self != 304 }

  /// Returns false if the response has no content by definition, so that nothing is stored (RFC 9110,
  /// sections 15.3.5, 15.3.6 and 15.4.5).
  func bringsContent(to method: HTTPMethod) -> Bool { mayHaveBody(to: method) && self != 205 }

  /// The code with its usual reason phrase: `404 Not Found`.
  public var description: String {
    Self.names[code].map { "\(code) \($0)" } ?? "\(code)"
  }

  private static let names = [
    100: "Continue", 102: "Processing", 103: "Early Hints",
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
  /// HTTP/1.0.
  case http10 = "HTTP/1.0"
  /// HTTP/1.1 (RFC 9112).
  case http11 = "HTTP/1.1"
  /// HTTP/2 (RFC 9113).
  case http2 = "HTTP/2"
  /// HTTP/3 (RFC 9114).
  case http3 = "HTTP/3"

  public var description: String { rawValue }
}

/// The HTTP version that a request prefers.
///
/// The libcurl transport uses HTTP/2 with libcurl 8.19 or later (`CurlTransport.supportsHTTP2`). Older
/// versions do not report which requests a server has processed.
public enum HTTPVersionPreference: String, Sendable, Hashable {
  /// HTTP/2 if the transport supports it and TLS negotiates it, otherwise HTTP/1.1.
  case automatic
  /// HTTP/1.1 only.
  case http1
  /// HTTP/2, negotiated with TLS, or without negotiation over plain http (prior knowledge). A transport that
  /// does not support HTTP/2 fails the request with `RequestError(.unsupported)`.
  case http2
}
