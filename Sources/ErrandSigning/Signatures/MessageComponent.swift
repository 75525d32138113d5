import ErrandStructuredFields

/// A part of a message that a signature can cover (RFC 9421, section 2). It can be written as a literal: the
/// name of a field, or of a derived component.
///
/// ```swift
/// let components: [MessageComponent] = [
///   .method, .targetURI, "content-digest", .queryParameter("page"), .field("cache-control").structured,
///   .field("example-dictionary").member("a"), .path.ofRequest,
/// ]
/// ```
///
/// Components are equal if they name the same part, whatever the order of their parameters. A component is
/// checked when it is used.
public struct MessageComponent: Sendable {
  struct Options: Sendable, Hashable {
    var isOfRequest = false
    var isStructured = false
    var isWrapped = false
    var isTrailer = false
    var key: String?
    var parameterName: String?
  }

  // Shared, because a signer reads its components for each signature.
  private final class Parts: Sendable {
    let name: String
    let identifier: String
    let options: Options
    let derived: DerivedComponent?
    let lineStart: [UInt8]

    init(name: String, identifier: String, options: Options) {
      self.name = name
      self.identifier = identifier
      self.options = options
      derived = name.utf8.first == FieldByte.at ? DerivedComponent(rawValue: name) : nil
      lineStart = Array("\(identifier): ".utf8)
    }
  }

  private let parts: Parts

  /// The name of the field in lower case, or of the derived component with its `@`.
  package var name: String { parts.name }
  /// The name and the parameters as they are written in a signature, such as `"@query-param";name="Pet"`.
  package var identifier: String { parts.identifier }
  var options: Options { parts.options }
  /// The derived component; nil for a field.
  var derived: DerivedComponent? { parts.derived }
  /// The beginning of the component's line in a signature base.
  var lineStart: [UInt8] { parts.lineStart }

  init(name: String, identifier: String, options: Options) {
    parts = Parts(name: name, identifier: identifier, options: options)
  }

  /// Returns a header field. The signature covers all of its lines, combined with commas (section 2.1).
  /// - Parameter name: The field's name, in upper or lower case.
  public static func field(_ name: String) -> MessageComponent {
    MessageComponent(named: String(decoding: name.utf8.map(FieldByte.lowered), as: UTF8.self))
  }

  /// Returns a parameter of a query that has the form `a=b&c=d` (section 2.2.8).
  /// - Parameter name: The decoded name. It is encoded as in the URL.
  public static func queryParameter(_ name: String) -> MessageComponent {
    var options = Options()
    let encoded = QueryParameters.encoded(Array(name.utf8)[...])
    options.parameterName = encoded
    let component = MessageComponent(named: DerivedComponent.queryParameter.rawValue)
    return component.with(options, ";name=\(quoted(encoded))")
  }

  private init(named name: String) {
    self.init(name: name, identifier: Self.quoted(name), options: Options())
  }

  private init(_ derived: DerivedComponent) { self.init(named: derived.rawValue) }

  /// The method of the request (section 2.2.1).
  public static let method = MessageComponent(.method)
  /// The whole URL of the request, without its fragment (section 2.2.2).
  public static let targetURI = MessageComponent(.targetURI)
  /// The host in lower case, and the port unless it is the default of the scheme (section 2.2.3).
  public static let authority = MessageComponent(.authority)
  /// The scheme in lower case (section 2.2.4).
  public static let scheme = MessageComponent(.scheme)
  /// The target as it is written in the request's first line (section 2.2.5).
  public static let requestTarget = MessageComponent(.requestTarget)
  /// The path, `/` if it is empty (section 2.2.6).
  public static let path = MessageComponent(.path)
  /// The query with its `?`, which is covered even if the URL has no query (section 2.2.7).
  public static let query = MessageComponent(.query)
  /// The status code of the response (section 2.2.9).
  public static let status = MessageComponent(.status)
  /// The components that bind a response to its request: the status, and the method and the URL of the
  /// request. Without them, a signed response to another request could be passed off as this one.
  public static let ofResponse: [MessageComponent] = [.status, .method.ofRequest, .targetURI.ofRequest]
  /// The digest of the content. A signature that covers it covers the content.
  public static let contentDigest = MessageComponent.field("content-digest")

  /// The same component of the request that belongs to the response (`req`, section 2.4).
  public var ofRequest: MessageComponent {
    var options = options
    options.isOfRequest = true
    return with(options, ";req")
  }

  /// The field as RFC 9651 serializes it, so that its spaces do not matter (`sf`, section 2.1.1). The field's
  /// type has to be known: see `structuredFields` of `MessageSigner` and `MessageVerifier`.
  public var structured: MessageComponent {
    var options = options
    options.isStructured = true
    return with(options, ";sf")
  }

  /// Each line of the field as a byte sequence, for fields whose lines cannot be combined (`bs`, section 2.1.3).
  public var wrapped: MessageComponent {
    var options = options
    options.isWrapped = true
    return with(options, ";bs")
  }

  /// One member of a field that is defined as a Dictionary (`key`, section 2.1.2).
  public func member(_ key: String) -> MessageComponent {
    var options = options
    options.key = key
    return with(options, ";key=\(Self.quoted(key))")
  }

  private func with(_ options: Options, _ parameter: String) -> MessageComponent {
    guard options != self.options else { return self }
    return MessageComponent(name: name, identifier: identifier + parameter, options: options)
  }

  /// Returns a string as it is written in a structured field. A string that cannot be written becomes empty,
  /// which `check` refuses.
  static func quoted(_ text: String) -> String { (try? BareItem.string(text).serialized()) ?? "\"\"" }
}

/// The components that are derived from a message, in contrast to its fields (RFC 9421, section 2.2).
enum DerivedComponent: String, Sendable, Hashable {
  case method = "@method"
  case targetURI = "@target-uri"
  case authority = "@authority"
  case scheme = "@scheme"
  case requestTarget = "@request-target"
  case path = "@path"
  case query = "@query"
  case queryParameter = "@query-param"
  case status = "@status"
}

extension MessageComponent: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.options == right.options
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(options)
  }
}

extension MessageComponent: CustomStringConvertible {
  /// The first 100 characters of the identifier, which may come from the other side.
  public var description: String { String(identifier.prefix(100)) }
}
