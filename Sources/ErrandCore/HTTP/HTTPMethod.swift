/// A request method (RFC 9110, section 9). Any token is allowed: `HTTPMethod("PURGE")`, or the literal
/// `"PURGE"`.
public struct HTTPMethod: Sendable, Hashable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The method's name, such as `GET`. Methods are case-sensitive.
  public let rawValue: String

  /// Makes a method of the given name, which is not checked before it is sent.
  package init(rawValue: String) { self.rawValue = rawValue }
  /// Makes a method of the given name, which is not checked before it is sent.
  public init(_ name: String) { rawValue = name }
  /// Makes a method from a literal.
  public init(stringLiteral name: String) { rawValue = name }

  public var description: String { rawValue }

  /// `GET`: requests a representation of the resource.
  public static let get = HTTPMethod("GET")
  /// `HEAD`: requests only the header fields of a response to GET.
  public static let head = HTTPMethod("HEAD")
  /// `POST`: lets the resource process the body. It is not idempotent.
  public static let post = HTTPMethod("POST")
  /// `PUT`: replaces the resource by the body.
  public static let put = HTTPMethod("PUT")
  /// `PATCH`: applies the changes in the body to the resource (RFC 5789). It is not idempotent.
  public static let patch = HTTPMethod("PATCH")
  /// `DELETE`: removes the resource.
  public static let delete = HTTPMethod("DELETE")
  /// `OPTIONS`: requests the communication options of the resource.
  public static let options = HTTPMethod("OPTIONS")
  /// `TRACE`: requests the message as the server received it.
  public static let trace = HTTPMethod("TRACE")

  /// True if the method requests no change on the server (RFC 9110, section 9.2.1).
  var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace: true
    default: false
    }
  }

  /// True if sending the request twice has the same effect as once (RFC 9110, section 9.2.2). Such a request
  /// may be retried even if the first attempt may have reached the server.
  package var isIdempotent: Bool {
    switch self {
    case .get, .head, .put, .delete, .options, .trace: true
    default: false
    }
  }
}
