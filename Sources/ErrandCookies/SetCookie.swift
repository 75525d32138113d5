import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The value of a `Set-Cookie` field, parsed by RFC 6265bis (draft 15, section 5.6). The last of repeated
/// attributes counts, and unknown ones are ignored. `CookieList` decides whether the cookie is kept.
struct SetCookie: Sendable, Hashable {
  /// The longest time that a cookie is kept (section 5.5): 400 days.
  static let longestLifetime: TimeInterval = 400 * 86_400

  let name: String
  let value: String
  /// In seconds, no more than `longestLifetime`; nil without `Max-Age`.
  private(set) var maxAge: Int?
  private(set) var expires: Date?
  /// The domain in lower case, without the dot before it; nil if `Domain` is missing or empty.
  private(set) var domain: String?
  /// The path; nil for the default path.
  private(set) var path: String?
  private(set) var isSecure = false
  private(set) var isHTTPOnly = false
  private(set) var sameSite: Cookie.SameSite?

  /// Parses the value of a field. Returns nil if it contains a control character, has neither a name nor a
  /// value, or has more than 4096 octets of both. Also returns nil if they were not UTF-8, because the octets
  /// that the server sent are then unknown.
  init?(_ text: String) {
    guard !ASCII.hasControl(text) else { return nil }
    let parts = Array(text.utf8).split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let (name, value) = Self.pair(parts[0])
    let length = (name?.count ?? 0) + value.count
    guard 1...Cookie.longestPair ~= length else { return nil }
    self.name = Self.string(name ?? [])
    self.value = Self.string(value)
    guard !(self.name + self.value).unicodeScalars.contains("\u{FFFD}") else { return nil }
    for part in parts.dropFirst() { takeAttribute(part) }
  }

  /// Returns the texts before and after the first `=`, without the spaces around them. Without a `=`, all of
  /// it is the value.
  private static func pair(_ part: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>?, value: ArraySlice<UInt8>)
  {
    guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return (nil, trimmed(part)) }
    return (trimmed(part[..<equals]), trimmed(part[(equals + 1)...]))
  }

  private mutating func takeAttribute(_ part: ArraySlice<UInt8>) {
    var (name, value) = Self.pair(part)
    // An attribute without `=` is a name.
    if name == nil { (name, value) = (value, []) }
    guard value.count <= Cookie.longestAttribute else { return }
    switch Self.string(name.map { $0.map(ASCII.lowered)[...] } ?? []) {
    case "expires": expires = CookieDate.parse(value) ?? expires
    case "max-age": maxAge = Self.seconds(value) ?? maxAge
    case "domain": domain = Self.domain(value)
    case "path": path = value.first == UInt8(ascii: "/") ? Self.string(value) : nil
    case "secure": isSecure = true
    case "httponly": isHTTPOnly = true
    case "samesite": sameSite = Self.sameSite(value)
    default: break
    }
  }

  /// Returns nil if the text is not a number. A number that is too large becomes the longest lifetime.
  private static func seconds(_ value: ArraySlice<UInt8>) -> Int? {
    let isNegative = value.first == UInt8(ascii: "-")
    let digits = isNegative ? value.dropFirst() : value
    guard !digits.isEmpty, digits.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    if isNegative { return 0 }
    let longest = Int(longestLifetime)
    return digits.reduce(0) { $0 >= longest ? longest : min($0 * 10 + Int($1 - 48), longest) }
  }

  private static func domain(_ value: ArraySlice<UInt8>) -> String? {
    if value.isEmpty { return nil }
    // A single dot is not a host, and browsers refuse the cookie.
    let isDotted = value.first == UInt8(ascii: ".") && value.count > 1
    let domain = string((isDotted ? value.dropFirst() : value).map(ASCII.lowered)[...])
    return value.contains { $0 >= 0x80 } ? HostName.ofCookies(domain) : domain
  }

  private static func sameSite(_ value: ArraySlice<UInt8>) -> Cookie.SameSite? {
    let text = string(value)
    return [.strict, .lax, .noRestriction].first { ASCII.equalIgnoringCase($0.rawValue, text) }
  }

  private static func trimmed(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = part.firstIndex(where: { !isSpace($0) }),
      let last = part.lastIndex(where: { !isSpace($0) })
    else { return [] }
    return part[first...last]
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  private static func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension SetCookie {
  /// Returns the expiry of a cookie that is received now; nil for a session cookie. `Max-Age` takes
  /// precedence over `Expires`.
  func expiry(at now: Date) -> Date? {
    if let maxAge { return maxAge > 0 ? now.addingTimeInterval(TimeInterval(maxAge)) : .distantPast }
    return expires.map { min($0, now.addingTimeInterval(Self.longestLifetime)) }
  }
}

extension SetCookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "SetCookie(\(name.isEmpty ? "(no name)" : name))" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}
