/// The user, host and port of a URL (RFC 3986, section 3.2).
struct URLAuthority {
  /// The user and password as they are written in the URL, without the `@`.
  var user: String?
  let host: String
  /// The port's digits, possibly empty; nil if the URL has no port.
  let port: String?

  /// - Throws: `URLProblem`, if the host or the port is not valid.
  init(_ bytes: ArraySlice<UInt8>) throws(URLProblem) {
    // Programs disagree on whether a backslash ends the host, so a URL with one is refused.
    guard !bytes.contains(UInt8(ascii: "\\")) else { throw .unreadable }
    var rest = bytes
    if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
      user = URLReference.encode(rest[..<at], URLBytes.isUser)
      rest = rest[(at + 1)...]
    }
    let end: Int
    if rest.first == UInt8(ascii: "[") {
      guard let bracket = rest.firstIndex(of: UInt8(ascii: "]")),
        let address = Self.ipv6(rest[..<bracket].dropFirst())
      else { throw .unreadable }
      end = bracket + 1
      host = "[\(address)]"
    } else {
      end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
      host = try Self.name(rest[..<end])
    }
    guard end < rest.endIndex else {
      port = nil
      return
    }
    let digits = rest[(end + 1)...]
    guard rest[end] == UInt8(ascii: ":"), Self.isPort(digits) else { throw .unreadable }
    port = String(decoding: digits, as: UTF8.self)
  }

  var text: String { (user.map { "\($0)@" } ?? "") + host + (port.map { ":\($0)" } ?? "") }

  private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
    guard digits.allSatisfy({ 48...57 ~= $0 }) else { return false }
    let significant = digits.drop { $0 == 48 }
    return significant.count < 6 && significant.reduce(0) { $0 * 10 + Int($1 - 48) } <= 65535
  }

  /// Returns an IPv6 address in its canonical form, with its zone if it has one (RFC 6874); nil if it is not
  /// one.
  private static func ipv6(_ bytes: ArraySlice<UInt8>) -> String? {
    let start = bytes.firstIndex(of: UInt8(ascii: "%")) ?? bytes.endIndex
    let zone = bytes[start...]
    guard let address = IPAddress.canonicalIPv6(bytes[..<start]) else { return nil }
    guard
      zone.isEmpty
        || (zone.starts(with: "%25".utf8) && zone.count > 3
          && zone.dropFirst(3).allSatisfy(URLBytes.isUnreserved))
    else { return nil }
    return address + String(decoding: zone, as: UTF8.self)
  }

  /// Returns a host name in its canonical form.
  /// - Throws: `URLProblem`, also if a delimiter is percent-encoded, because other programs decode it.
  private static func name(_ bytes: ArraySlice<UInt8>) throws(URLProblem) -> String {
    var name: [UInt8] = []
    var index = bytes.startIndex
    while index < bytes.endIndex {
      var byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "%") {
        guard let escaped = URLBytes.escaped(bytes, at: index - 1),
          escaped >= 0x80 || URLBytes.isUnreserved(escaped)
        else { throw .unreadable }
        byte = escaped
        index += 2
      }
      name.append(byte)
    }
    return try HostName.name(name)
  }
}
