#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Parses and checks IP addresses as text.
enum IPAddress {
  /// Returns an IPv4 address as four decimal numbers, from any notation of `inet_aton`: one to four numbers,
  /// each decimal, octal (`0177`) or hexadecimal (`0x7f`). The last number fills the remaining bytes. Returns
  /// nil for anything else, as libcurl does.
  static func dotted(_ text: ArraySlice<UInt8>) -> String? {
    guard let first = text.first, 48...57 ~= first else { return nil }
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
    let numbers = parts.compactMap(number)
    guard numbers.count == parts.count, let last = numbers.last, numbers.count <= 4 else { return nil }
    let rest = 8 * UInt32(5 - numbers.count)
    guard numbers.dropLast().allSatisfy({ $0 < 256 }), rest == 32 || last < 1 << rest else { return nil }
    let bytes = numbers.dropLast() + (0..<(rest / 8)).reversed().map { last >> (8 * $0) & 255 }
    return bytes.map(String.init).joined(separator: ".")
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
    guard let first = digits.first, 48...57 ~= first else { return nil }
    if first == 48, digits.count > 1 {
      let isHexadecimal = ASCII.lowered(digits[digits.startIndex + 1]) == UInt8(ascii: "x")
      return number(digits.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 8)
    }
    return number(digits, radix: 10)
  }

  private static func number(_ digits: ArraySlice<UInt8>, radix: UInt64) -> UInt32? {
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard let value = URLBytes.digit(digit).map(UInt64.init), value < radix else { return nil }
      number = number * radix + value
      guard number <= UInt32.max else { return nil }
    }
    return UInt32(number)
  }

  /// Returns an IPv6 address, without brackets, as the system writes it; nil if it is not one.
  static func canonicalIPv6(_ bytes: ArraySlice<UInt8>) -> String? {
    guard !bytes.contains(0) else { return nil }
    var room = in6_addr()
    var name = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard unsafe inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &room) == 1,
      unsafe inet_ntop(AF_INET6, &room, &name, socklen_t(name.count)) != nil
    else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Returns true for an IPv4 or IPv6 address as the system itself writes it.
  static func isCanonical(_ text: String) -> Bool {
    guard !text.utf8.contains(0) else { return false }
    return [AF_INET, AF_INET6].contains { family in
      var room = in6_addr()
      var name = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard unsafe inet_pton(family, text, &room) == 1,
        unsafe inet_ntop(family, &room, &name, socklen_t(name.count)) != nil
      else { return false }
      return name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)).elementsEqual(text.utf8)
    }
  }
}
