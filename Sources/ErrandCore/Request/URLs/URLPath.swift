/// A path in which every interpolated value is percent-encoded as one segment. An id that contains `/`, `?`
/// or `%` cannot change the other segments.
///
/// ```swift
/// try await client.send(.get(.path("users/\(id)/posts"), query: ["q": text]))
/// ```
///
/// Literal text is not changed. The path is relative to `ClientConfiguration.baseURL`, or an absolute URL if
/// it contains `://`. The first segment may contain a colon (`"\(job):cancel"`).
///
/// Sending the request throws an error if a value is empty or `.` or `..`, and stands alone between
/// delimiters: `/`, `:`, `;`, `,` and the other reserved characters (RFC 3986, section 2.2). An empty `job`
/// in `"\(job):cancel"` would address another resource. A value in the query (`"users?q=\(text)"`) is encoded
/// as well, and may be any text.
public struct URLPath: URLConvertible, ExpressibleByStringInterpolation, Sendable {
  /// The path as text, with its values percent-encoded.
  public let urlText: String
  /// The reason why no request can be sent to the path, such as an empty value; nil if it is valid.
  public let urlProblem: String?

  /// Makes a path of literal text.
  public init(stringLiteral path: String) { self.init(path, problem: nil) }

  /// Makes a path of literal text and values.
  public init(stringInterpolation path: StringInterpolation) {
    self.init(path.text, problem: path.problem)
  }

  private init(_ text: String, problem: String?) {
    // Without the slash, the text up to the colon would be a scheme (RFC 3986, section 4.2).
    urlText = Self.beginsWithColon(text) ? "/" + text : text
    urlProblem = problem ?? (Self.hasDots(URLReference(urlText)?.path ?? "") ? Self.dots : nil)
  }

  private static let dots = "a segment of the path consists of dots, which would lead to another resource"

  /// Returns true if the first segment has a colon that does not belong to `://`.
  private static func beginsWithColon(_ text: String) -> Bool {
    let segment = text.utf8.prefix { !"/?#".utf8.contains($0) }
    guard let colon = segment.firstIndex(of: UInt8(ascii: ":")) else { return false }
    return !text.utf8[colon...].starts(with: "://".utf8)
  }

  /// Builds a path from literal text and values, each of which it percent-encodes.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate private(set) var text = ""
    private var firstProblem: String?
    /// The text since the last delimiter.
    private var part: [UInt8] = []
    private var partHasValue = false
    private var isInPath = true

    fileprivate var problem: String? { firstProblem ?? problemOfPart }

    private var problemOfPart: String? {
      guard partHasValue else { return nil }
      let decoded = URLBytes.decoded(part[...])
      if decoded.isEmpty { return "a value in the path is empty, which would lead to another resource" }
      return URLPath.isDots(decoded) ? URLPath.dots : nil
    }

    /// Reserves capacity for the text.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 8)
    }

    /// Appends literal text unchanged.
    public mutating func appendLiteral(_ literal: String) {
      text += literal
      for byte in literal.utf8 where isInPath {
        if URLBytes.isReserved(byte) {
          firstProblem = problem
          part = []
          partHasValue = false
          isInPath = !"?#".utf8.contains(byte)
        } else {
          part.append(byte)
        }
      }
    }

    /// Appends the description of a value, such as a string, a number or a `UUID`, as one percent-encoded
    /// segment.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      let encoded = PercentEncoding.query(value.description)
      text += encoded
      guard isInPath else { return }
      part += encoded.utf8
      partHasValue = true
    }

    /// Appends several percent-encoded segments, with `/` between them.
    public mutating func appendInterpolation(segments: some Collection<String>) {
      if segments.isEmpty { appendInterpolation("") }
      for (index, segment) in segments.enumerated() {
        if index > 0 { appendLiteral("/") }
        appendInterpolation(segment)
      }
    }
  }

  /// Returns true if a segment, without its parameters (`;`), is `.` or `..`. Percent-encoded dots count,
  /// because servers and proxies decode them.
  static func hasDots(_ path: String) -> Bool {
    path.utf8.split(separator: UInt8(ascii: "/")).contains { segment in
      isDots(URLBytes.decoded(Substring(segment.prefix { $0 != UInt8(ascii: ";") })))
    }
  }

  private static func isDots(_ bytes: [UInt8]) -> Bool { bytes == [0x2E] || bytes == [0x2E, 0x2E] }
}

extension URLConvertible where Self == URLPath {
  /// Returns a path in which every interpolated value is one percent-encoded segment. See `URLPath`.
  public static func path(_ path: URLPath) -> URLPath { path }
}
