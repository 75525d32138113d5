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
  /// The next hop's interface is gone, or has no carrier (RTNH_F_DEAD, RTNH_F_LINKDOWN).
  private static let dead: UInt32 = 0x1 | 0x10

  /// Parses a message after its header; nil if it is truncated, or of neither IPv4 nor IPv6.
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
    // The kernel adds the interfaces of a next hop that is given by number, unless it is configured not to.
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
