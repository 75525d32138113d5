#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
