/// A request method (RFC 9110, section 9). Any token is accepted: `HTTPMethod("PURGE")`, or `"PURGE"` as a
/// literal.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ name: String) { rawValue = name }
  public init(stringLiteral name: String) { rawValue = name }

  public var description: String { rawValue }

  public static let get = HTTPMethod("GET")
  public static let head = HTTPMethod("HEAD")
  public static let post = HTTPMethod("POST")
  public static let put = HTTPMethod("PUT")
  public static let patch = HTTPMethod("PATCH")
  public static let delete = HTTPMethod("DELETE")
  public static let options = HTTPMethod("OPTIONS")
  public static let trace = HTTPMethod("TRACE")

  /// True if the method asks for no change on the server (RFC 9110, section 9.2.1).
  var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace: true
    default: false
    }
  }

  /// True if sending the request twice has the same effect as once (RFC 9110, section 9.2.2): such a request
  /// may be retried even if the first attempt may have reached the server.
  public var isIdempotent: Bool {
    switch self {
    case .get, .head, .put, .delete, .options, .trace: true
    default: false
    }
  }
}
