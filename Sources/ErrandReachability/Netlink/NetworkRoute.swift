/// A route of the kernel, with the properties that matter for reachability.
struct NetworkRoute: Hashable, Sendable {
  enum Family: UInt8, Sendable {
    case ip4 = 2
    case ip6 = 10
  }

  /// The type of routes that forward packets; others deliver them locally, drop or refuse them.
  static let unicast: UInt8 = 1
  /// The table of this machine's own addresses.
  static let localTable: UInt32 = 255

  var family: Family
  var type = NetworkRoute.unicast
  var table: UInt32 = 254
  /// True for a copy that the kernel made of another route for one destination.
  var isCloned = false
  /// The destination's first bytes; bits beyond `prefixLength` have no meaning. Empty for a default route.
  var destination: [UInt8] = []
  /// The length of the destination's prefix in bits.
  var prefixLength: UInt8 = 0
  /// The indices of the interfaces that the route leads through, without those that the kernel knows to be
  /// dead. 0 for an interface that is not named.
  var interfaces: [Int32] = []

  /// True if the route leads to addresses at which a server could be reached. Excluded are the link-local and
  /// multicast routes that every interface has, whether its link has neighbours or not.
  var leadsToServers: Bool {
    type == Self.unicast && table != Self.localTable && !isCloned && !interfaces.isEmpty && !isToLinkOrGroup
  }

  private var isToLinkOrGroup: Bool {
    func starts(_ first: UInt8, _ second: UInt8 = 0, bits: UInt8) -> Bool {
      guard prefixLength >= bits, let one = destination.first else { return false }
      let two = destination.dropFirst().first ?? 0
      let mask = ~UInt16(0) << (16 - UInt16(bits))
      return (UInt16(one) << 8 | UInt16(two)) & mask == UInt16(first) << 8 | UInt16(second)
    }
    return switch family {
    case .ip4: starts(127, bits: 8) || starts(169, 254, bits: 16) || starts(224, bits: 4)
    case .ip6: starts(0xFE, 0x80, bits: 10) || starts(0xFF, bits: 8)
    }
  }
}
