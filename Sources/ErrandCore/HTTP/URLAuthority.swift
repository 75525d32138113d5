/// The user, host and port of a URL (RFC 3986, section 3.2).
struct URLAuthority {
  /// The user and password as they are written, without the `@`.
  var user: String?
  let host: String
  /// The digits of the port, which may be empty.
  let port: String?

  /// Returns nil if the host or the port is not valid.
  init?(_ bytes: ArraySlice<UInt8>) {
    // Programs disagree on whether a backslash ends the host, so a URL with one is refused.
    guard !bytes.contains(UInt8(ascii: "\\")) else { return nil }
    var rest = bytes
    if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
      user = URLReference.encode(rest[..<at], URLBytes.isUser)
      rest = rest[(at + 1)...]
    }
    let end: Int
    if rest.first == UInt8(ascii: "[") {
      guard let bracket = rest.firstIndex(of: UInt8(ascii: "]")), Self.isIPv6(rest[..<bracket].dropFirst())
      else {
        return nil
      }
      end = bracket + 1
      host = String(decoding: rest[..<end], as: UTF8.self)
    } else {
      end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
      guard let name = Self.name(rest[..<end]) else { return nil }
      host = name
    }
    guard end < rest.endIndex else {
      port = nil
      return
    }
    let digits = rest[(end + 1)...]
    guard rest[end] == UInt8(ascii: ":"), Self.isPort(digits) else { return nil }
    port = String(decoding: digits, as: UTF8.self)
  }

  var text: String { (user.map { "\($0)@" } ?? "") + host + (port.map { ":\($0)" } ?? "") }

  private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
    guard digits.allSatisfy({ 48...57 ~= $0 }) else { return false }
    let significant = digits.drop { $0 == 48 }
    return significant.count < 6 && significant.reduce(0) { $0 * 10 + Int($1 - 48) } <= 65535
  }

  /// Returns true for an IPv6 address, with or without a zone (RFC 6874).
  private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
    let zone = bytes.firstIndex(of: UInt8(ascii: "%")) ?? bytes.endIndex
    let address = bytes[..<zone]
    guard address.contains(UInt8(ascii: ":")),
      address.allSatisfy({ URLBytes.digit($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
    else { return false }
    return zone == bytes.endIndex
      || (bytes[zone...].starts(with: "%25".utf8) && bytes.endIndex > zone + 3
        && bytes[(zone + 3)...].allSatisfy(URLBytes.isUnreserved))
  }

  /// Returns a host name; nil if an escape stands for a delimiter, because other programs decode it. Letters
  /// beyond ASCII stay encoded.
  private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
    var name: [UInt8] = []
    var index = bytes.startIndex
    while index < bytes.endIndex {
      var byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "%") {
        guard let escaped = URLBytes.escaped(bytes, at: index - 1) else { return nil }
        guard escaped >= 0x80 || URLBytes.isUnreserved(escaped) else { return nil }
        byte = escaped
        index += 2
      }
      if byte >= 0x80 {
        name += URLBytes.escape(byte)
      } else {
        guard URLBytes.isUnreserved(byte) || URLBytes.isSubDelimiter(byte) else { return nil }
        name.append(byte)
      }
    }
    return String(decoding: name, as: UTF8.self)
  }
}
