#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// IP addresses as text.
enum IPAddress {
  /// Returns true for an IPv4 or IPv6 address in the one notation that the system itself writes.
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
