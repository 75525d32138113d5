/// A URL in a normal form (RFC 3986, section 6.2.2 and 6.2.3): scheme and host in lower case, no default
/// port, no fragment, `/` for an empty path, percent-encoding in one form, and the items of the query in the
/// order of their names.
///
/// In doubt, two URLs stay different: `%2F` is not `/`, `+` is not `%20`, and `a` is not `a=`. The values of
/// one name keep their order, because servers read lists from them.
struct NormalizedURL: Sendable, Hashable {
  /// The normal form. It is ASCII, so equal text means equal bytes.
  let text: String

  init(_ url: String) {
    if NormalizedURLWriter.leavesAsIs(url) {
      text = url
      return
    }
    var writer = NormalizedURLWriter(url)
    writer.write()
    text = String(decoding: writer.output, as: UTF8.self)
  }
}

extension NormalizedURL: CustomStringConvertible {
  /// The URL without user, password and query.
  var description: String {
    let shown = Secrets.standard.redact(text)
    guard let mark = shown.firstIndex(of: "?") else { return shown }
    return shown[..<mark] + "?…"
  }
}

/// Scans the bytes of a URL once and writes them in the form that `NormalizedURL` documents.
struct NormalizedURLWriter {
  private let input: [UInt8]
  private(set) var output: [UInt8] = []

  init(_ url: String) {
    input = Array(url.utf8)
    output.reserveCapacity(input.count + 1)
  }

  /// Returns true if the URL is already in normal form, as most URLs are. False in doubt.
  static func leavesAsIs(_ url: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: url.hasPrefix) else { return false }
    return unsafe url.utf8.withContiguousStorageIfAvailable { unsafe leavesAsIs($0.span, after: scheme) }
      ?? false
  }

  private static func leavesAsIs(_ url: Span<UInt8>, after scheme: String) -> Bool {
    var index = scheme.utf8.count
    while index < url.count, isUnreserved(url[index]), ASCII.lowered(url[index]) == url[index] { index += 1 }
    if index < url.count, url[index] == UInt8(ascii: ":") {
      let port = index + 1
      index = port
      while index < url.count, isDigit(url[index]) { index += 1 }
      // A default port has at most three digits.
      guard index - port > 3 else { return false }
    }
    guard index < url.count, url[index] == UInt8(ascii: "/") else { return false }
    var isQuery = false
    for index in index..<url.count {
      switch url[index] {
      case UInt8(ascii: "/"): continue
      case UInt8(ascii: "=") where isQuery: continue
      case UInt8(ascii: "?") where !isQuery: isQuery = true
      case let byte: guard isUnreserved(byte) else { return false }
      }
    }
    return true
  }

  mutating func write() {
    let end = input.firstIndex(of: UInt8(ascii: "#")) ?? input.count
    let mark = input[..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
    let path = writeOrigin(before: mark)
    if path == mark, path > 0 { output.append(UInt8(ascii: "/")) }
    write(path..<mark)
    guard mark < end else { return }
    output.append(UInt8(ascii: "?"))
    let query = output.count
    write(mark + 1..<end)
    sortItems(from: query)
  }

  /// Writes scheme, user, host and port, and returns the index at which the path begins: 0 without a scheme.
  private mutating func writeOrigin(before end: Int) -> Int {
    guard let colon = input[..<end].firstIndex(of: UInt8(ascii: ":")), colon + 2 < end,
      input[colon + 1] == UInt8(ascii: "/"), input[colon + 2] == UInt8(ascii: "/")
    else { return 0 }
    let authority = colon + 3
    let path = input[authority..<end].firstIndex(of: UInt8(ascii: "/")) ?? end
    write(0..<authority, lowering: true)
    let host = input[authority..<path].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority
    write(authority..<host)
    let port = portColon(in: host..<path)
    write(host..<port, lowering: true)
    if port < path, !isDefaultPort(port + 1..<path, schemeLength: colon) { write(port..<path) }
    return path
  }

  /// Returns the index of the colon before the port, or the end of the range. Colons within an IPv6 address
  /// do not count.
  private func portColon(in range: Range<Int>) -> Int {
    var index = range.upperBound
    while index > range.lowerBound {
      index -= 1
      if input[index] == UInt8(ascii: ":") { return index }
      if input[index] == UInt8(ascii: "]") { break }
    }
    return range.upperBound
  }

  private func isDefaultPort(_ port: Range<Int>, schemeLength: Int) -> Bool {
    if port.isEmpty { return true }
    return switch schemeLength {
    case 4: output.starts(with: "http".utf8) && input[port].elementsEqual("80".utf8)
    case 5: output.starts(with: "https".utf8) && input[port].elementsEqual("443".utf8)
    default: false
    }
  }

  /// Writes unreserved characters as themselves, and other encoded bytes as `%` and two capital digits.
  private mutating func write(_ range: Range<Int>, lowering: Bool = false) {
    var index = range.lowerBound
    while index < range.upperBound {
      var byte = input[index]
      var isEncoded = byte >= 0x80
      index += 1
      if byte == UInt8(ascii: "%"), index + 1 < range.upperBound,
        let high = Self.value(ofDigit: input[index]), let low = Self.value(ofDigit: input[index + 1])
      {
        byte = high << 4 | low
        isEncoded = !Self.isUnreserved(byte)
        index += 2
      }
      if isEncoded {
        output.append(UInt8(ascii: "%"))
        output.append(Self.digit(byte >> 4))
        output.append(Self.digit(byte & 15))
      } else {
        output.append(lowering ? ASCII.lowered(byte) : byte)
      }
    }
  }

  private mutating func sortItems(from start: Int) {
    var items: [(name: Range<Int>, end: Int)] = []
    var isSorted = true
    var begin = start
    while begin <= output.count {
      let end = output[begin...].firstIndex(of: UInt8(ascii: "&")) ?? output.count
      let name = begin..<(output[begin..<end].firstIndex(of: UInt8(ascii: "=")) ?? end)
      if let last = items.last, precedes(name, last.name) { isSorted = false }
      items.append((name, end))
      begin = end + 1
    }
    guard !isSorted else { return }
    items.sort { precedes($0.name, $1.name) }
    var sorted: [UInt8] = []
    sorted.reserveCapacity(output.count - start)
    for (index, item) in items.enumerated() {
      if index > 0 { sorted.append(UInt8(ascii: "&")) }
      sorted += output[item.name.lowerBound..<item.end]
    }
    output.replaceSubrange(start..., with: sorted)
  }

  private func precedes(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    output[left].lexicographicallyPrecedes(output[right])
  }

  private static func value(ofDigit byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 55 + value }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 0x2D, 0x2E, 0x5F, 0x7E: true
    default: false
    }
  }
}
