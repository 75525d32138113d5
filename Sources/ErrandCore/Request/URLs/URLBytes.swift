/// The bytes that are allowed in each part of a URL (RFC 3986, section 3 and appendix A).
package enum URLBytes {
  /// True if the text has a query or a fragment with items, as in `/next?a=b`.
  static func hasItems(_ text: some Collection<UInt8>) -> Bool {
    guard let start = text.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
      return false
    }
    return text[start...].contains(UInt8(ascii: "="))
  }

  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 0x2D, 0x2E, 0x5F, 0x7E: true
    default: false
    }
  }

  /// Returns true for `!$&'()*+,;=`.
  package static func isSubDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
    default: false
    }
  }

  /// Returns true for RFC 3986's reserved characters: `:/?#[]@` and the sub-delimiters.
  static func isReserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x23, 0x2F, 0x3A, 0x3F, 0x40, 0x5B, 0x5D: true
    default: isSubDelimiter(byte)
    }
  }

  static func isUser(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || isSubDelimiter(byte) || byte == UInt8(ascii: ":")
  }

  static func isPath(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || isSubDelimiter(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@")
      || byte == UInt8(ascii: "/")
  }

  /// Returns true for a byte that is allowed in a query, and in a fragment.
  static func isQuery(_ byte: UInt8) -> Bool { isPath(byte) || byte == UInt8(ascii: "?") }

  /// Returns the byte that `%` and two digits at the index encode; nil if the digits are missing.
  static func escaped(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
    guard index + 2 < bytes.endIndex, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
    else { return nil }
    return high << 4 | low
  }

  /// Returns the byte as `%` and two digits.
  package static func escaped(_ byte: UInt8) -> String { String(decoding: escape(byte), as: UTF8.self) }

  static func escape(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// Returns the percent-decoded bytes of the text.
  package static func decoded(_ text: some StringProtocol) -> [UInt8] { decoded(Array(text.utf8)[...]) }

  static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let escaped = bytes[index] == UInt8(ascii: "%") ? escaped(bytes, at: index) : nil
      decoded.append(escaped ?? bytes[index])
      index += escaped == nil ? 1 : 3
    }
    return decoded
  }

  /// Returns the value of a hexadecimal digit.
  package static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }

  /// Returns true for a plain absolute URL: http or https, a plain host, an optional short port, a path
  /// without dot segments, and a query in which every byte is allowed. Returns false in doubt.
  static func isPlainURL(_ text: String) -> Bool {
    unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
      let count = bytes.count
      var index = 4
      guard count > 7, unsafe bytes[0] == 0x68, unsafe bytes[1] == 0x74, unsafe bytes[2] == 0x74,
        unsafe bytes[3] == 0x70
      else { return false }
      if unsafe bytes[index] == 0x73 { index += 1 }
      guard index + 3 < count, unsafe bytes[index] == 0x3A, unsafe bytes[index + 1] == 0x2F,
        unsafe bytes[index + 2] == 0x2F
      else { return false }
      index += 3
      let host = index
      var label = index
      while index < count, unsafe isUnreserved(bytes[index]) {
        if unsafe bytes[index] == UInt8(ascii: ".") { label = index + 1 }
        // It may be an A-label, which begins with `xn--`.
        let dash = UInt8(ascii: "-")
        if index == label + 3, unsafe bytes[index] == dash, unsafe bytes[index - 1] == dash { return false }
        index += 1
      }
      guard index > host else { return false }
      // It may be an IPv4 address, in one of several notations.
      if label < index, unsafe 48...57 ~= bytes[label], unsafe !isDotted(bytes, host..<index) { return false }
      if index < count, unsafe bytes[index] == 0x3A {
        let port = index + 1
        index = port
        while index < count, unsafe 48...57 ~= bytes[index] { index += 1 }
        // Five digits may exceed 65535.
        let isShort = unsafe index - port < 5 || (index - port == 5 && bytes[port] < 0x36)
        guard isShort else {
          return false
        }
      }
      if index == count { return true }
      guard unsafe bytes[index] == 0x2F else { return false }
      var segment = index
      var isInPath = true
      while index < count {
        let byte = unsafe bytes[index]
        if isInPath, byte == 0x2F || byte == 0x3F {
          if unsafe isDots(bytes, from: segment + 1, to: index) { return false }
          segment = index
          isInPath = byte == 0x2F
        }
        if byte == 0x25 {
          guard index + 2 < count, unsafe digit(bytes[index + 1]) != nil,
            unsafe digit(bytes[index + 2]) != nil
          else { return false }
        } else if !isQuery(byte) {
          return false
        }
        index += 1
      }
      return unsafe !isInPath || !isDots(bytes, from: segment + 1, to: count)
    } ?? false
  }

  /// Returns true for `.` and `..`.
  private static func isDots(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Bool {
    guard 1...2 ~= end - start else { return false }
    return unsafe bytes[start] == 0x2E && bytes[end - 1] == 0x2E
  }

  /// Returns true for an IPv4 address of four decimal numbers without leading zeros.
  private static func isDotted(_ bytes: UnsafeBufferPointer<UInt8>, _ host: Range<Int>) -> Bool {
    var (number, digits, parts) = (0, 0, 1)
    for index in host {
      let byte = unsafe bytes[index]
      if byte == UInt8(ascii: ".") {
        guard digits > 0 else { return false }
        (number, digits, parts) = (0, 0, parts + 1)
      } else {
        guard 48...57 ~= byte, digits == 0 || number > 0 else { return false }
        (number, digits) = (number * 10 + Int(byte - 48), digits + 1)
        if number > 255 { return false }
      }
    }
    return parts == 4 && digits > 0
  }
}

/// Percent-encoding of single names and values (RFC 3986), and of forms (application/x-www-form-urlencoded as
/// the WHATWG URL standard defines it).
package enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Returns `text` with all bytes encoded except RFC 3986's unreserved characters, so that `+`, `&` and `=`
  /// keep their meaning.
  package static func query(_ text: String) -> String {
    encode(text, spaceAsPlus: false) { byte in
      switch byte {
      case 48...57, 65...90, 97...122, 0x2D, 0x2E, 0x5F, 0x7E: true
      default: false
      }
    }
  }

  package static func form(_ text: String) -> String {
    encode(text, spaceAsPlus: true) { byte in
      switch byte {
      case 48...57, 65...90, 97...122, 0x2A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
  }

  private static func encode(_ text: String, spaceAsPlus: Bool, keep: (UInt8) -> Bool) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if keep(byte) {
        bytes.append(byte)
      } else if byte == 32, spaceAsPlus {
        bytes.append(0x2B)
      } else {
        bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
