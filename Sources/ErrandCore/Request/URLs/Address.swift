#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type that can address a request: a `URL`, a `String` that is parsed as a URL, or a `URLPath`.
public protocol URLConvertible {
  /// The URL as text, absolute or relative to `ClientConfiguration.baseURL`. If it is invalid, sending the
  /// request throws an error.
  var urlText: String { get }
  /// The reason why no request can be sent to the URL, or nil. Default: nil.
  var urlProblem: String? { get }
}

extension URLConvertible {
  /// Nil: the text alone decides whether the URL is valid.
  public var urlProblem: String? { nil }
}

extension String: URLConvertible {
  /// The string itself.
  public var urlText: String { self }
}

extension URL: URLConvertible {
  /// The URL's `absoluteString`.
  public var urlText: String { absoluteString }
}

/// A request's target, parsed once: a valid URL, a relative URL that the client's base URL completes, or an
/// invalid URL with the reason.
enum Address: Sendable, Hashable {
  case valid(WholeURL)
  case relative(String)
  case invalid(text: String, reason: String)

  init(_ url: some URLConvertible) {
    if let problem = url.urlProblem {
      self = .invalid(text: url.urlText, reason: problem)
    } else {
      self.init(url.urlText)
    }
  }

  /// Returns the address with these names and values added to its query.
  func adding(_ query: some Sequence<(String, String)>) -> Address {
    let longer = Address.append(query, to: text)
    if case .invalid(_, let reason) = self { return .invalid(text: longer, reason: reason) }
    return Address(longer)
  }

  init(_ text: String) {
    if URLBytes.isPlainURL(text), let url = URL(string: text) {
      self = .valid(WholeURL(url))
      return
    }
    self = Address(reading: text)
  }

  /// Parses a URL that is not plain: it has a user, or bytes that must be encoded, or it is invalid.
  private init(reading text: String) {
    func refuse(_ reason: String) -> Address { .invalid(text: text, reason: reason) }
    guard !text.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else {
      self = refuse("it is not a valid URL (does it have spaces that must be encoded?)")
      return
    }
    do {
      self = Address(try URLReference(parsing: text), of: text)
    } catch {
      self = refuse(error.reason)
    }
  }

  /// - Parameter text: The text to show if the URL is invalid.
  init(_ reference: URLReference, of text: String) {
    func refuse(_ reason: String) -> Address { .invalid(text: text, reason: reason) }
    guard let scheme = reference.scheme else {
      self = text.isEmpty ? refuse("the URL is empty") : .relative(reference.text)
      return
    }
    guard ASCII.equalIgnoringCase(scheme, "https") || ASCII.equalIgnoringCase(scheme, "http") else {
      self = refuse("only http and https are supported, not \(scheme.prefix(100))")
      return
    }
    guard let host = reference.authority?.host, !host.isEmpty else {
      self = refuse("the URL has no host")
      return
    }
    var reference = reference
    reference.removeDots()
    let encoded = reference.text
    guard let url = URL(string: encoded), url.absoluteString == encoded else {
      self = refuse("it is not a valid URL")
      return
    }
    self = .valid(WholeURL(url))
  }

  /// True if the URL has a user or a password, even if they are empty.
  var hasUser: Bool {
    if case .valid(let whole) = self { whole.hasUser } else { false }
  }

  var url: URL? {
    if case .valid(let whole) = self { whole.url } else { nil }
  }

  /// True if a valid address uses https.
  var isSecure: Bool {
    if case .valid(let whole) = self { whole.isSecure } else { false }
  }

  /// Scheme, host and port in a canonical form, the key of the per-origin limits. Empty if the address is not
  /// valid.
  var originName: String {
    if case .valid(let whole) = self { whole.originName } else { "" }
  }

  var text: String {
    switch self {
    case .valid(let whole): whole.text
    case .relative(let text), .invalid(let text, _): text
    }
  }

  /// The reason why no request can be sent to the address, or nil.
  var problem: String? {
    switch self {
    case .valid: nil
    case .relative:
      "the URL is relative; use one like https://example.com/path, or set the client's baseURL"
    case .invalid(_, let reason): reason
    }
  }

  /// Returns the text without its secrets.
  func shown(hiding secrets: Secrets, as mask: SecretMask = .stars) -> String {
    switch self {
    case .valid(let whole): whole.isSecret ? "\(whole.originName)/***" : secrets.redact(whole.text, as: mask)
    case .relative(let text), .invalid(let text, _): secrets.redactAnything(text)
    }
  }

  /// Returns the text without its secrets; of a long one the beginning, with an ellipsis, which takes little time.
  func shown(hiding secrets: Secrets, upTo limit: Int) -> String {
    guard case .valid(let whole) = self, !whole.isSecret, whole.text.utf8.count > limit else {
      return shown(hiding: secrets)
    }
    let text = whole.text.utf8.prefix(limit)
    func isDelimiter(_ byte: UInt8) -> Bool { "/?#&;".utf8.contains(byte) }
    // A part of an authority or of an item does not show where its password ends, so neither is cut.
    guard let host = whole.text.firstRange(of: "://")?.upperBound, host < text.endIndex,
      let path = text[host...].firstIndex(where: isDelimiter),
      let end = text[path...].lastIndex(where: isDelimiter)
    else { return shown(hiding: secrets).clippedURL }
    return secrets.redact(String(whole.text[...end])) + "…"
  }

  /// True if the path is shown nowhere.
  var hasSecretPath: Bool {
    if case .valid(let whole) = self { whole.isSecret } else { false }
  }

  /// The address with a path that is shown nowhere.
  var withSecretPath: Address {
    if case .valid(let whole) = self { .valid(WholeURL(whole.url, isSecret: true)) } else { self }
  }

  /// Returns the text for a message: without its secrets, and shortened if it is long.
  func named(hiding secrets: Secrets) -> String { shown(hiding: secrets).clippedURL }

  private static func append(_ query: some Sequence<(String, String)>, to text: String) -> String {
    let items = query.map { "\(PercentEncoding.query($0))=\(PercentEncoding.query($1))" }
    guard !items.isEmpty else { return text }
    // Compares bytes, because a combining mark after a delimiter would form another character with it.
    let (question, ampersand) = (UInt8(ascii: "?"), UInt8(ascii: "&"))
    let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
    let before = text[..<fragment]
    let isOpen = before.utf8.last == question || before.utf8.last == ampersand
    let separator = !before.utf8.contains(question) ? "?" : isOpen ? "" : "&"
    return before + separator + items.joined(separator: "&") + text[fragment...]
  }
}

/// The base of relative URLs (`ClientConfiguration.baseURL`), parsed once for each client.
struct BaseURL: Sendable {
  private let text: String
  /// The reason why the base cannot complete a relative URL, or nil.
  private let problem: String?

  init?(_ url: URL?) {
    guard let url else { return nil }
    text = url.absoluteString
    problem = Self.problem(text).map {
      "the URL is relative, and ClientConfiguration.baseURL cannot complete it: \($0)"
    }
  }

  /// Returns a relative address as an absolute one, and any other address unchanged.
  ///
  /// The path is appended, even if it begins with a slash. By RFC 3986, `/users` would replace the base's
  /// whole path, and `users` its last segment.
  func complete(_ address: Address) -> Address {
    guard case .relative(let relative) = address else { return address }
    if let problem = problem ?? Self.problem(ofRelative: relative) {
      return .invalid(text: relative, reason: problem)
    }
    if relative.hasPrefix("?") || relative.hasPrefix("#") { return Address(text + relative) }
    let path = relative.hasPrefix("/") ? relative.dropFirst() : relative[...]
    return Address(text + (text.hasSuffix("/") ? "" : "/") + path)
  }

  private static func problem(_ text: String) -> String? {
    if text.utf8.contains(UInt8(ascii: "?")) || text.utf8.contains(UInt8(ascii: "#")) {
      return "it has a query or a fragment"
    }
    return Address(text).problem
  }

  private static func problem(ofRelative text: String) -> String? {
    let reference: URLReference
    do { reference = try URLReference(parsing: text) } catch { return error.reason }
    if reference.authority != nil { return "the URL names a host without a scheme; write https: before it" }
    return URLPath.hasDots(reference.path)
      ? "the relative URL has a segment . or .., which would lead to another resource" : nil
  }
}
