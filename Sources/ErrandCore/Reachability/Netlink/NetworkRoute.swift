/// A route of the kernel's, as far as it matters here.
struct NetworkRoute: Hashable, Sendable {
  enum Family: UInt8, Sendable {
    case ip4 = 2
    case ip6 = 10
  }

  /// What it does with packets: 1 sends them on; others deliver them here, drop or refuse them.
  static let unicast: UInt8 = 1
  /// The table of this machine's own addresses.
  static let localTable: UInt32 = 255

  var family: Family
  var type = NetworkRoute.unicast
  var table: UInt32 = 254
  /// A copy that the kernel made of another route for one destination.
  var isCloned = false
  /// The destination's first bytes; those beyond `prefixLength` say nothing. Empty for a default route.
  var destination: [UInt8] = []
  /// In bits.
  var prefixLength: UInt8 = 0
  /// The interfaces by which it leads out, without those that the kernel knows to be dead. 0 for one it does not name.
  var interfaces: [Int32] = []

  /// It leads to addresses by which a server could be reached: every interface has routes to its own link's addresses
  /// and to groups, whether anybody is there or not.
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
