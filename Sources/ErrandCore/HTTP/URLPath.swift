/// A path in which every interpolated value is one segment: percent-encoded, so that an id with `/`, `?` or
/// `%` in it stays in its place.
///
/// ```swift
/// try await client.send(.get(.path("users/\(id)/posts"), query: ["q": text]))
/// ```
///
/// Literal text stays as it is written. The path is relative to `ClientConfiguration.baseURL`, or
/// a whole URL. A value that would be no segment of its own (`..`, `.`, or an empty one) makes the request
/// fail when it is sent. A value in the query (`"users?q=\(text)"`) is encoded too, and may be anything.
public struct URLPath: URLConvertible, ExpressibleByStringInterpolation, Sendable {
  public let urlText: String
  public let urlProblem: String?

  public init(stringLiteral path: String) { self.init(path, hasEmptyValue: false) }

  public init(stringInterpolation path: StringInterpolation) {
    self.init(path.text, hasEmptyValue: path.hasEmptyValue)
  }

  private init(_ text: String, hasEmptyValue: Bool) {
    urlText = text
    urlProblem =
      hasEmptyValue
      ? "a value in the path is empty, so another resource would be meant"
      : Self.hasDots(URLReference(text)?.path ?? "")
        ? "a segment of the path is dots alone, which would lead to another resource" : nil
  }

  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate private(set) var text = ""
    private var hadEmptySegment = false
    /// True if the segment that is being written has nothing but empty values so far.
    private var isEmptySegment = false
    private var isInPath = true

    fileprivate var hasEmptyValue: Bool { hadEmptySegment || isEmptySegment }

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 8)
    }

    public mutating func appendLiteral(_ literal: String) {
      guard let first = literal.utf8.first else { return }
      if isEmptySegment {
        hadEmptySegment = hadEmptySegment || "/?#".utf8.contains(first)
        isEmptySegment = false
      }
      if literal.utf8.contains(where: { "?#".utf8.contains($0) }) { isInPath = false }
      text += literal
    }

    /// Appends one value, a string, a number, a `UUID`, …, by its description.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      let value = value.description
      isEmptySegment =
        value.isEmpty && isInPath && (text.isEmpty || text.utf8.last == UInt8(ascii: "/"))
      text += PercentEncoding.query(value)
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

  /// Returns true if a segment is `.` or `..`, even if its dots are percent-encoded: servers and proxies
  /// decode them.
  static func hasDots(_ path: String) -> Bool {
    path.utf8.split(separator: UInt8(ascii: "/")).contains { segment in
      let decoded = URLBytes.decoded(Substring(segment))
      return decoded == [0x2E] || decoded == [0x2E, 0x2E]
    }
  }
}

extension URLConvertible where Self == URLPath {
  /// A path in which every interpolated value is one percent-encoded segment. See `URLPath`.
  public static func path(_ path: URLPath) -> URLPath { path }
}
