/// A URL or a relative reference, parsed into its parts (RFC 3986, appendix B). Bytes that are not allowed in
/// their part are percent-encoded; valid escapes are not changed. Foundation's `URL(string:)` would encode
/// the `%` of valid escapes again as soon as one other byte of the URL is invalid.
struct URLReference {
  private(set) var scheme: String?
  private(set) var authority: URLAuthority?
  private(set) var path: String
  private(set) var query: String?
  private(set) var fragment: String?

  /// Returns nil if the host or the port is not valid.
  init?(_ text: String) {
    do { try self.init(parsing: text) } catch { return nil }
  }

  /// - Throws: `URLProblem`, if the host or the port is not valid.
  init(parsing text: String) throws(URLProblem) {
    let bytes = Array(text.utf8)
    var rest = bytes[...]
    if let mark = rest.firstIndex(of: UInt8(ascii: "#")) {
      fragment = Self.encode(rest[(mark + 1)...], URLBytes.isQuery)
      rest = rest[..<mark]
    }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = Self.encode(rest[(mark + 1)...], URLBytes.isQuery)
      rest = rest[..<mark]
    }
    if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
      scheme = String(decoding: rest[..<colon], as: UTF8.self)
      rest = rest[(colon + 1)...]
    }
    if rest.starts(with: "//".utf8) {
      let start = rest.startIndex + 2
      let end = rest[start...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = try URLAuthority(rest[start..<end])
      rest = rest[end...]
    }
    path = Self.encode(rest, URLBytes.isPath)
  }

  /// Returns the reference resolved against `base`, without user and password. If it has no fragment, it gets
  /// the base's, as for a redirect (RFC 9110, section 10.2.2).
  func resolved(against base: URLReference) -> URLReference {
    var whole = self
    if scheme == nil {
      whole.scheme = base.scheme
      if authority == nil {
        whole.authority = base.authority
        if path.isEmpty {
          whole.path = base.path
          whole.query = query ?? base.query
        } else if !path.hasPrefix("/") {
          whole.path = base.authority != nil && base.path.isEmpty ? "/" + path : base.folder + path
        }
      }
    }
    whole.path = Self.withoutDots(whole.path)
    whole.fragment = fragment ?? base.fragment
    whole.authority?.user = nil
    return whole
  }

  /// Removes the dot segments of the path (RFC 3986, section 5.2.4).
  mutating func removeDots() { path = Self.withoutDots(path) }

  mutating func takeUser() -> String? {
    defer { authority?.user = nil }
    return authority?.user
  }

  var text: String {
    var text = ""
    if let scheme { text += "\(scheme):" }
    if let authority { text += "//\(authority.text)" }
    text += path
    if let query { text += "?\(query)" }
    if let fragment { text += "#\(fragment)" }
    return text
  }

  /// The path up to its last slash.
  private var folder: Substring {
    path.lastIndex(of: "/").map { path[...$0] } ?? ""
  }

  /// Removes dot segments (RFC 3986, section 5.2.4).
  private static func withoutDots(_ path: String) -> String {
    guard path.utf8.contains(UInt8(ascii: ".")) else { return path }
    var kept: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case ".": if isLast { kept.append("") }
      case "..":
        // The first element is the part before the first slash, so it is not removed.
        if kept.count > 1 { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(part)
      }
    }
    return kept.joined(separator: "/")
  }

  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, 97...122 ~= ASCII.lowered(first) else { return false }
    return bytes.allSatisfy { 97...122 ~= ASCII.lowered($0) || 48...57 ~= $0 || "+-.".utf8.contains($0) }
  }

  static func encode(_ bytes: ArraySlice<UInt8>, _ mayStand: (UInt8) -> Bool) -> String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for index in bytes.indices {
      let byte = bytes[index]
      if mayStand(byte) || (byte == UInt8(ascii: "%") && URLBytes.escaped(bytes, at: index) != nil) {
        encoded.append(byte)
      } else {
        encoded += URLBytes.escape(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
