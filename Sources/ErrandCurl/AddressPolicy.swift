#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The addresses to which a transport connects.
///
/// A program that sends requests to URLs of its customers, such as webhooks, must not reach its own network with them:
///
/// ```swift
/// var curl = CurlConfiguration()
/// curl.addressPolicy = .publicOnly
/// curl.proxy = .none
/// let client = Client(transport: CurlTransport(configuration: curl))
/// ```
///
/// Each address is checked right before a connection is made to it, after the look-up of the host. So the notation of an
/// address does not matter, a redirect is checked like a first request, and a host cannot change its address between the
/// check and the connection (DNS rebinding). A request uses an open connection only if it is to the same host and of the
/// same transport.
public struct AddressPolicy: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case any
    case publicOnly(exceptions: [String])
  }

  private let kind: Kind
  private let exceptions: [AddressBlock]

  private init(_ kind: Kind, _ exceptions: [AddressBlock] = []) {
    self.kind = kind
    self.exceptions = exceptions
  }

  /// Connects to any address.
  public static let any = AddressPolicy(.any)

  /// Connects only to addresses that are public: globally reachable by IANA's registries of special-purpose addresses
  /// (RFC 6890).
  ///
  /// It refuses loopback, private and link-local addresses, shared address space (100.64.0.0/10), multicast, broadcast,
  /// reserved addresses and those for documentation and benchmarks. Of IPv6 it accepts only global unicast addresses
  /// (2000::/3) without special purpose. An IPv4 address within an IPv6 address (mapped, NAT64's 64:ff9b::/96, 6to4) is
  /// judged as the IPv4 address.
  ///
  /// A request whose host has no accepted address fails with `RequestError(.addressRefused)` and is not retried. If the
  /// host has accepted addresses as well, these are used. A proxy or a Unix socket would make the connection without
  /// this check, so each request fails with `RequestError(.invalidConfiguration)` if the transport has one.
  public static let publicOnly = AddressPolicy(.publicOnly(exceptions: []))

  /// Connects only to public addresses, and to these.
  /// - Parameter exceptions: Addresses, and blocks of addresses such as `10.1.2.0/24` and `fd00:12::/32`. If one is
  ///   invalid, each request fails with `RequestError(.invalidConfiguration)`.
  public static func publicOnly(except exceptions: [String]) -> AddressPolicy {
    AddressPolicy(.publicOnly(exceptions: exceptions), exceptions.compactMap { AddressBlock($0)?.unmapped })
  }

  /// True if every address is accepted.
  var isAny: Bool { kind == .any }

  /// The reason why the policy is invalid; nil if it is valid.
  var problem: String? {
    guard case .publicOnly(let texts) = kind, let wrong = texts.first(where: { AddressBlock($0) == nil })
    else {
      return nil
    }
    return
      "the exception \(wrong.prefix(100).debugDescription) of the address policy is not an address, or a block "
      + "such as 10.1.2.0/24 without further bits"
  }

  /// Returns true if a connection to the address may be made.
  /// - Parameter address: The 4 bytes of an IPv4 address or the 16 bytes of an IPv6 address. Others are refused.
  func allows(_ address: [UInt8]) -> Bool {
    if isAny { return true }
    let address = AddressBlock.mapped.contains(address) ? Array(address.suffix(4)) : address
    return exceptions.contains { $0.contains(address) } || Self.isPublic(address)
  }

  private static func isPublic(_ address: [UInt8]) -> Bool {
    switch address.count {
    case 4: !AddressBlock.special4.contains { $0.contains(address) }
    case 16 where AddressBlock.nat64.contains(address): isPublic(Array(address.suffix(4)))
    case 16 where AddressBlock.sixToFour.contains(address): isPublic(Array(address[2..<6]))
    case 16:
      AddressBlock.globalUnicast.contains(address) && !AddressBlock.special6.contains { $0.contains(address) }
    default: false
    }
  }
}

/// A block of addresses with the same first bits. Pure.
struct AddressBlock: Sendable, Hashable {
  private let bytes: [UInt8]
  private let length: Int

  /// Parses an address, or an address and the number of the bits that count. Returns nil for other texts, and if a bit
  /// after these is set.
  init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let bytes = Self.bytes(parts[0]) else { return nil }
    var length = bytes.count * 8
    if parts.count > 1 {
      guard let number = Int(parts[1]), 0...length ~= number, parts[1].allSatisfy(\.isNumber) else {
        return nil
      }
      length = number
    }
    (self.bytes, self.length) = (bytes, length)
    guard bytes.indices.allSatisfy({ bytes[$0] & ~mask(of: $0) == 0 }) else { return nil }
  }

  /// The block of IPv4 addresses, if this is one of IPv4 addresses within IPv6 addresses.
  var unmapped: AddressBlock {
    guard length >= 96, Self.mapped.contains(bytes) else { return self }
    return AddressBlock(bytes: Array(bytes.suffix(4)), length: length - 96)
  }

  private init(bytes: [UInt8], length: Int) { (self.bytes, self.length) = (bytes, length) }

  func contains(_ address: [UInt8]) -> Bool {
    address.count == bytes.count && bytes.indices.allSatisfy { address[$0] & mask(of: $0) == bytes[$0] }
  }

  /// The bits of a byte that count.
  private func mask(of index: Int) -> UInt8 {
    let count = min(max(length - index * 8, 0), 8)
    return count == 0 ? 0 : ~UInt8(0) << UInt8(8 - count)
  }

  /// Returns the bytes of an address in its usual notation.
  static func bytes(_ text: String) -> [UInt8]? {
    guard !text.utf8.contains(0) else { return nil }
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }

  private init(known text: String) {
    guard let block = AddressBlock(text) else { preconditionFailure("\(text) is not a block") }
    self = block
  }

  static let mapped = AddressBlock(known: "::ffff:0:0/96")
  static let nat64 = AddressBlock(known: "64:ff9b::/96")
  static let sixToFour = AddressBlock(known: "2002::/16")
  static let globalUnicast = AddressBlock(known: "2000::/3")

  /// The IPv4 addresses that are not globally reachable, from IANA's registry of special-purpose addresses. Multicast
  /// (224.0.0.0/4) is not in that registry. 192.0.0.0/24 and 192.88.99.0/24 are refused as a whole.
  static let special4 = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
  ].map(AddressBlock.init(known:))

  /// The global unicast addresses with a special purpose: protocols (with Teredo) and documentation.
  static let special6 = ["2001::/23", "2001:db8::/32", "3fff::/20"].map(AddressBlock.init(known:))
}
