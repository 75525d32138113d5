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
    guard !fields.contains("Content-Encoding"), case .bytes(let length) = announcedLength else { return nil }
    return length
  }

  private enum AnnouncedLength {
    case none
    case bytes(Int64)
    case invalid
  }

  /// The value of `Content-Length`, which may be repeated, in one line or several, if it stays the same.
  private var announcedLength: AnnouncedLength {
    var length: Int64?
    for field in fields where ASCII.equalIgnoringCase(field.name, "Content-Length") {
      // Nearly every response has one number.
      if length == nil, let number = ASCII.wholeNumber(field.value) {
        length = number
        continue
      }
      let parts = field.value.split(separator: ",", omittingEmptySubsequences: false)
      for part in parts.count > 1 ? parts.map(ASCII.trimmed) : [field.value] {
        guard let number = ASCII.wholeNumber(part), number == length ?? number else { return .invalid }
        length = number
      }
    }
    return length.map { .bytes($0) } ?? .none
  }

  /// False for a response without a body, whatever its fields announce (RFC 9112, section 6.3).
  package func mayHaveBody(to method: Method) -> Bool { method != .head && status != 204 && status != 304 }

  /// The reason why it is unknown where the body ends, or nil: a cut body would pass for the whole (RFC 9112,
  /// section 6.3).
  func lengthProblem(to method: Method) -> String? {
    guard mayHaveBody(to: method), case .invalid = announcedLength else { return nil }
    return "the response announces no length that can be read (Content-Length)"
  }
}

/// The status code of a response (RFC 9110, section 15).
public struct Status: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  public let code: Int

  public init(_ code: Int) { self.code = code }
  public init(integerLiteral code: Int) { self.code = code }

  public var isInformational: Bool { 100..<200 ~= code }
  public var isSuccess: Bool { 200..<300 ~= code }
  public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(code) }
  public var isClientError: Bool { 400..<500 ~= code }
  public var isServerError: Bool { 500..<600 ~= code }

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
public enum HTTPVersionPreference: String, Sendable, Hashable {
  /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
  case automatic
  /// HTTP/1.1 only.
  case http1
  /// HTTP/2: negotiated with TLS; over plain http it is assumed without negotiation (prior knowledge).
  case http2
}
