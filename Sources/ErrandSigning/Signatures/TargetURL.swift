import ErrandStructuredFields

extension [UInt8] {
  /// Removes the zone of an IPv6 address (RFC 6874), which is valid on this machine only and is not sent.
  fileprivate mutating func removeZone(from start: Int) {
    guard let end = self[start...].firstIndex(where: { "/?#]".utf8.contains($0) }),
      self[end] == UInt8(ascii: "]"),
      let zone = self[start..<end].firstIndex(of: UInt8(ascii: "%"))
    else { return }
    removeSubrange(zone..<end)
  }
}

/// The parts of a request's URL as a server sees them (RFC 9421, sections 2.2.2 to 2.2.8).
struct TargetURL {
  /// The URL, with its scheme and its host in lower case.
  private var bytes: [UInt8]
  private let schemeEnd: Int
  private var authorityRange: Range<Int>
  private let pathRange: Range<Int>
  private let queryRange: Range<Int>?
  /// The value of `Host`; nil if the request lacks the field.
  private let host: [UInt8]?

  /// - Parameter host: The value of `Host`, which overrides the URL's host and port.
  /// - Returns: Nil if the URL is not absolute.
  init?(_ url: String, host: String?) {
    bytes = []
    bytes.append(text: url)
    guard let colon = bytes.firstIndex(of: FieldByte.colon), colon > 0, bytes.count > colon + 3,
      bytes[colon + 1] == Self.slash, bytes[colon + 2] == Self.slash,
      bytes[..<colon].allSatisfy(Self.isScheme)
    else { return nil }
    schemeEnd = colon
    let start = colon + 3
    bytes.removeZone(from: start)
    let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    let query = bytes[start..<end].firstIndex(of: FieldByte.question)
    let path = bytes[start..<(query ?? end)].firstIndex(of: Self.slash) ?? query ?? end
    pathRange = path..<(query ?? end)
    queryRange = query.map { $0 + 1..<end }
    let user = bytes[start..<path].lastIndex(of: FieldByte.at).map { $0 + 1 } ?? start
    authorityRange = user..<path
    for index in 0..<path { bytes[index] = FieldByte.lowered(bytes[index]) }
    let isHTTPS = bytes[..<colon].elementsEqual("https".utf8)
    let port: StaticString? = isHTTPS ? "443" : bytes[..<colon].elementsEqual("http".utf8) ? "80" : nil
    self.host = host.map { host in
      let host = host.utf8.map(FieldByte.lowered)
      return Array(host[..<Self.end(of: host[...], port)])
    }
    authorityRange = user..<Self.end(of: bytes[user..<path], port)
    // A host with a slash would look like another host and the beginning of a path.
    guard !authority.isEmpty, authority.allSatisfy(Self.isAuthority) else { return nil }
  }

  var scheme: ArraySlice<UInt8> { bytes[..<schemeEnd] }

  /// The host in lower case, and the port unless it is the default of the scheme.
  var authority: ArraySlice<UInt8> { host?[...] ?? bytes[authorityRange] }

  /// The path, which is never empty.
  var path: ArraySlice<UInt8> { pathRange.isEmpty ? [Self.slash] : bytes[pathRange] }

  /// The query without its `?`; nil if the URL has no query.
  var query: ArraySlice<UInt8>? { queryRange.map { bytes[$0] } }

  private static let slash = UInt8(ascii: "/")

  /// Returns true for a byte that a scheme can contain (RFC 3986, section 3.1).
  private static func isScheme(_ byte: UInt8) -> Bool {
    FieldByte.isLetter(byte) || FieldByte.isDigit(byte) || byte == UInt8(ascii: "+")
      || byte == FieldByte.minus
      || byte == FieldByte.point
  }

  /// Returns true for a byte that a host and a port can contain (RFC 3986, section 3.2).
  private static func isAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case slash, FieldByte.question, UInt8(ascii: "#"), FieldByte.at, FieldByte.backslash, FieldByte.space:
      false
    default: FieldByte.isPrintable(byte)
    }
  }

  /// Returns the index at which an authority ends, without an empty port or the default port of the scheme.
  private static func end(of authority: ArraySlice<UInt8>, _ ownPort: StaticString?) -> Int {
    guard let colon = authority.lastIndex(where: { !FieldByte.isDigit($0) }),
      authority[colon] == FieldByte.colon
    else {
      return authority.endIndex
    }
    let port = authority[(colon + 1)...]
    let number = port.drop { $0 == UInt8(ascii: "0") }
    let isOwn = ownPort.map { $0.withUTF8Buffer { number.elementsEqual($0) } } ?? false
    return port.isEmpty || isOwn ? colon : authority.endIndex
  }
}
