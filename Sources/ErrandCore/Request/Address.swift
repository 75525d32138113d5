#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a request can be addressed with: a `URL`, or a `String` that will be one.
public protocol URLConvertible {
  /// The URL as text. It need not be valid: sending it says what is wrong.
  var urlText: String { get }
}

extension String: URLConvertible {
  public var urlText: String { self }
}

extension URL: URLConvertible {
  public var urlText: String { absoluteString }
}

/// Where a request goes, read once: a URL that can be asked, or the reason why it cannot.
enum Address: Sendable, Hashable {
  case valid(URL)
  case invalid(text: String, reason: String)

  init(_ text: String, query: some Sequence<(String, String)>) {
    self.init(Address.append(query, to: text))
  }

  init(_ text: String) {
    func refuse(_ reason: String) -> Address { .invalid(text: text, reason: reason) }
    guard !text.utf8.contains(where: { $0 <= 32 || $0 == 127 }), let url = URL(string: text) else {
      self = refuse(
        text.isEmpty ? "the URL is empty" : "it is not a valid URL (are there spaces to be encoded?)")
      return
    }
    guard let scheme = url.scheme else {
      self = refuse("the URL is relative; give it whole, as in https://example.com/path")
      return
    }
    guard ASCII.equalIgnoringCase(scheme, "https") || ASCII.equalIgnoringCase(scheme, "http") else {
      self = refuse("only http and https can be requested, not \(scheme)")
      return
    }
    guard let host = url.host(), !host.isEmpty else {
      self = refuse("the URL names no host")
      return
    }
    self = .valid(url)
  }

  var url: URL? {
    if case .valid(let url) = self { url } else { nil }
  }

  /// True for https, of an address that is valid.
  var isSecure: Bool {
    let scheme = text.utf8.prefix(5)
    return scheme.count == 5 && scheme.last.map(ASCII.lowered) == UInt8(ascii: "s")
  }

  var text: String {
    switch self {
    case .valid(let url): url.absoluteString
    case .invalid(let text, _): text
    }
  }

  /// The text without its secrets.
  func shown(hiding secrets: Secrets) -> String {
    switch self {
    case .valid(let url): secrets.redact(url.absoluteString)
    case .invalid(let text, _): secrets.redactAnything(text)
    }
  }

  private static func append(_ query: some Sequence<(String, String)>, to text: String) -> String {
    let items = query.map { "\(PercentEncoding.query($0))=\(PercentEncoding.query($1))" }
    guard !items.isEmpty else { return text }
    let fragment = text.firstIndex(of: "#") ?? text.endIndex
    let before = text[..<fragment]
    let separator = !before.contains("?") ? "?" : before.hasSuffix("?") || before.hasSuffix("&") ? "" : "&"
    return before + separator + items.joined(separator: "&") + text[fragment...]
  }
}
