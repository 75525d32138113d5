/// The links that lead out of this machine, and those through which a server could be reached.
struct NetworkMap: Hashable, Sendable {
  /// Whether each link is running, by its index.
  private var links: [Int32: Bool] = [:]
  private var routed: Set<Int32> = []

  /// The index of a route that does not name its interface. Such a route counts for every running link,
  /// because its next hop is in another table.
  private static let unnamed: Int32 = 0

  mutating func insert(_ link: NetworkLink) { links[link.index] = link.isRunning }

  mutating func insert(_ route: NetworkRoute) {
    if route.leadsToServers { routed.formUnion(route.interfaces) }
  }

  func has(_ link: NetworkLink) -> Bool { links[link.index] == link.isRunning }

  func hasLink(_ index: Int32) -> Bool { links[index] != nil }

  /// Returns true if the route would not change the map.
  func has(_ route: NetworkRoute) -> Bool { !route.leadsToServers || routed.isSuperset(of: route.interfaces) }

  var status: NetworkStatus {
    let isOnline = links.contains { link in
      link.value && (routed.contains(link.key) || routed.contains(Self.unnamed))
    }
    return isOnline ? .online : .offline
  }
}

/// A network interface, with the properties that matter for reachability.
struct NetworkLink: Hashable, Sendable {
  let index: Int32
  /// True if the link is up, has a carrier, and leads out of this machine.
  let isRunning: Bool

  init(index: Int32, isRunning: Bool) {
    self.index = index
    self.isRunning = isRunning
  }

  /// - Parameter flags: The flags of netdevice(7). IFF_UP alone is not enough, because the kernel keeps the
  ///   routes of a link that lost its carrier.
  init(index: Int32, flags: UInt32) {
    let upAndRunning: UInt32 = 0x1 | 0x40
    let loopback: UInt32 = 0x8
    self.init(index: index, isRunning: flags & upAndRunning == upAndRunning && flags & loopback == 0)
  }
}

/// A route of the kernel, with the properties that matter for reachability.
struct NetworkRoute: Hashable, Sendable {
  enum Family: UInt8, Sendable {
    case ip4 = 2
    case ip6 = 10
  }

  /// The type of routes that forward packets. Routes of other types deliver them locally, drop or refuse them.
  static let unicast: UInt8 = 1
  /// The table of this machine's addresses.
  static let localTable: UInt32 = 255

  var family: Family
  var type = NetworkRoute.unicast
  var table: UInt32 = 254
  /// True for a copy of another route that the kernel made for one destination.
  var isCloned = false
  /// The destination's first bytes; empty for a default route. Bits beyond `prefixLength` have no meaning.
  var destination: [UInt8] = []
  /// The length of the destination's prefix in bits.
  var prefixLength: UInt8 = 0
  /// The indices of the interfaces that the route leads through, except those that the kernel knows to be
  /// dead. 0 stands for an interface that is not named.
  var interfaces: [Int32] = []

  /// True if the route leads to addresses at which a server could be reached. Every interface has link-local
  /// and multicast routes, even if its link has no neighbours, so these do not count.
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

extension NetworkRoute {
  private enum AttributeType {
    static let destination: UInt16 = 1
    static let interface: UInt16 = 4
    static let multipath: UInt16 = 9
    static let table: UInt16 = 15
    static let nextHop: UInt16 = 30
  }

  private static let headerLength = 12
  private static let cloned: UInt32 = 0x200
  /// The interface of the next hop is gone, or has no carrier (RTNH_F_DEAD, RTNH_F_LINKDOWN).
  private static let dead: UInt32 = 0x1 | 0x10

  /// Parses a message after its header; nil if the message is truncated, or concerns neither IPv4 nor IPv6.
  init?(_ body: NetlinkBytes) {
    guard let family = body.uint8(0).flatMap(Family.init), let prefixLength = body.uint8(1),
      let table = body.uint8(4), let type = body.uint8(7), let flags = body.uint32(8)
    else { return nil }
    self.init(
      family: family, type: type, table: UInt32(table), isCloned: flags & Self.cloned != 0,
      prefixLength: prefixLength)
    var isByNumber = false
    for (type, value) in body.dropFirst(Self.headerLength).attributes {
      switch type {
      case AttributeType.destination: destination = value.all
      case AttributeType.table: self.table = value.uint32(0) ?? self.table
      case AttributeType.interface where flags & Self.dead == 0:
        interfaces += value.int32(0).map { [$0] } ?? []
      case AttributeType.multipath: interfaces += Self.interfaces(ofPaths: value)
      case AttributeType.nextHop: isByNumber = flags & Self.dead == 0
      default: break
      }
    }
    // The kernel adds the interfaces of a next hop that is given by number, unless its configuration prevents that.
    if isByNumber, interfaces.isEmpty { interfaces = [0] }
  }

  private static func interfaces(ofPaths paths: NetlinkBytes) -> [Int32] {
    var interfaces: [Int32] = []
    var rest = paths
    let headerLength = 8
    while let length = rest.uint16(0), length >= headerLength, let flags = rest.uint8(2),
      let interface = rest.int32(4)
    {
      if UInt32(flags) & dead == 0 { interfaces.append(interface) }
      rest = rest.dropFirst(NetlinkBytes.aligned(Int(length)))
    }
    return interfaces
  }
}
