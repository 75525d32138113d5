import Foundation

/// The expected result for an input, computed independently of Errand.
enum Meaning {
  private static let unescaped: [Bool] = {
    let bytes = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?".utf8)
    return (0...255).map { bytes.contains(UInt8($0)) }
  }()

  static func trimmed(_ text: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    while let first = bytes.first, first == 32 || first == 9 { bytes.removeFirst() }
    while let last = bytes.last, last == 32 || last == 9 { bytes.removeLast() }
    return bytes
  }

  /// Returns a path without dot segments (RFC 3986, section 5.2.4).
  private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
    var kept: [ArraySlice<UInt8>] = []
    let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isUp = segment.elementsEqual("..".utf8)
      guard isUp || segment.elementsEqual(".".utf8) else {
        kept.append(segment)
        continue
      }
      if isUp { _ = kept.popLast() }
      if index == segments.count - 1 { kept.append([]) }
    }
    return [UInt8(ascii: "/")] + Array(kept.joined(separator: [UInt8(ascii: "/")]))
  }

  /// Returns a path and a query, with invalid bytes encoded and without dot segments; a fragment is not sent.
  static func target(_ text: String) -> [UInt8] {
    let sent = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
    let path = Array(sent.prefix { $0 != UInt8(ascii: "?") })
    let bytes = (path.first == UInt8(ascii: "/") ? withoutDots(path) : path) + sent.dropFirst(path.count)
    var target: [UInt8] = []
    var isQuery = false
    for (index, byte) in bytes.enumerated() {
      let isEscape =
        byte == UInt8(ascii: "%") && index + 2 < bytes.count && isDigit(bytes[index + 1])
        && isDigit(bytes[index + 2])
      if byte == UInt8(ascii: "?") { isQuery = true }
      target += unescaped[Int(byte)] || isEscape ? [byte] : escaped(byte)
    }
    return isQuery && target.last == UInt8(ascii: "?")
      && target.firstIndex(of: UInt8(ascii: "?")) == target.count - 1
      ? target.dropLast() : target
  }

  static func queryItem(_ text: String) -> String {
    String(
      decoding: text.utf8.flatMap { byte in
        48...57 ~= byte || 97...122 ~= byte | 32 && byte < 128 && byte > 64 || "-._~".utf8.contains(byte)
          ? [byte] : escaped(byte)
      }, as: UTF8.self)
  }

  static func basic(_ user: String) -> [UInt8] {
    let bytes = Array(user.utf8)
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    let password = colon < bytes.count ? Array(bytes[(colon + 1)...]) : []
    return Array(
      "Basic \(Data(decoded(Array(bytes[..<colon])) + [58] + decoded(password)).base64EncodedString())".utf8)
  }

  static func decoded(_ bytes: [UInt8]) -> [UInt8] {
    var (decoded, index): ([UInt8], Int) = ([], 0)
    while index < bytes.count {
      if bytes[index] == 37, index + 2 < bytes.count, isDigit(bytes[index + 1]), isDigit(bytes[index + 2]) {
        decoded.append(UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)!)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return decoded
  }

  /// Returns a name as it is written in the head of a part.
  static func quoted(_ name: String) -> String {
    String(
      decoding: name.utf8.flatMap { $0 < 32 || $0 == 127 || $0 == 34 ? escaped($0) : [$0] }, as: UTF8.self)
  }

  static func escaped(_ byte: UInt8) -> [UInt8] {
    let digits = String(byte, radix: 16, uppercase: true)
    return Array("%\(digits.utf8.count < 2 ? "0" : "")\(digits)".utf8)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    48...57 ~= byte || 65...70 ~= byte || 97...102 ~= byte
  }
}
