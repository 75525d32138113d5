/// A path in which every interpolated value is one segment: percent-encoded, so that an id with `/`, `?` or
/// `%` in it stays in its place.
///
/// ```swift
/// try await client.send(.get(.path("users/\(id)/posts"), query: ["q": text]))
/// ```
///
/// Literal text stays as it is written. The path is relative to `ClientConfiguration.baseURL`, or
/// a whole URL: only `://` makes it one, so the first segment may have a colon (`"\(job):cancel"`).
///
/// A value that is empty or nothing but dots makes the request fail when it is sent, where it stands alone
/// between delimiters: `/`, `:`, `;`, `,` and the other reserved characters (RFC 3986, section 2.2). With it
/// `"\(job):cancel"` would be about another resource. A value in the query (`"users?q=\(text)"`) is encoded too,
/// and may be anything.
public struct URLPath: URLConvertible, ExpressibleByStringInterpolation, Sendable {
  public let urlText: String
  public let urlProblem: String?

  public init(stringLiteral path: String) { self.init(path, problem: nil) }

  public init(stringInterpolation path: StringInterpolation) {
    self.init(path.text, problem: path.problem)
  }

  private init(_ text: String, problem: String?) {
    // Without the slash the first segment would begin with a scheme (RFC 3986, section 4.2).
    urlText = Self.beginsWithColon(text) ? "/" + text : text
    urlProblem = problem ?? (Self.hasDots(URLReference(urlText)?.path ?? "") ? Self.dots : nil)
  }

  private static let dots = "a segment of the path is dots alone, which would lead to another resource"

  /// Returns true if the first segment has a colon that does not belong to `://`.
  private static func beginsWithColon(_ text: String) -> Bool {
    let segment = text.utf8.prefix { !"/?#".utf8.contains($0) }
    guard let colon = segment.firstIndex(of: UInt8(ascii: ":")) else { return false }
    return !text.utf8[colon...].starts(with: "://".utf8)
  }

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
      if decoded.isEmpty { return "a value in the path is empty, so another resource would be meant" }
      return URLPath.isDots(decoded) ? URLPath.dots : nil
    }

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 8)
    }

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

    /// Appends one value, a string, a number, a `UUID`, …, by its description.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      let encoded = PercentEncoding.query(value.description)
      text += encoded
      guard isInPath else { return }
      part += encoded.utf8
      partHasValue = true
    }

    /// Appends several segments, with `/` between them.
    public mutating func appendInterpolation(segments: some Collection<String>) {
      if segments.isEmpty { appendInterpolation("") }
      for (index, segment) in segments.enumerated() {
        if index > 0 { appendLiteral("/") }
        appendInterpolation(segment)
      }
    }
  }

  /// Returns true if a segment, up to its parameters (`;`), is `.` or `..`, even if its dots are
  /// percent-encoded: servers and proxies decode them.
  static func hasDots(_ path: String) -> Bool {
    path.utf8.split(separator: UInt8(ascii: "/")).contains { segment in
      isDots(URLBytes.decoded(Substring(segment.prefix { $0 != UInt8(ascii: ";") })))
    }
  }

  private static func isDots(_ bytes: [UInt8]) -> Bool { bytes == [0x2E] || bytes == [0x2E, 0x2E] }
}

extension URLConvertible where Self == URLPath {
  /// A path in which every interpolated value is one percent-encoded segment. See `URLPath`.
  public static func path(_ path: URLPath) -> URLPath { path }
}
