import Testing

@testable import ErrandReachability

@Suite struct NetworkMapTests {
  private let wire = NetworkLink(index: 2, isRunning: true)
  private let standard = NetworkRoute(family: .ip4, interfaces: [2])

  private func map(_ links: [NetworkLink], _ routes: [NetworkRoute]) -> NetworkMap {
    var map = NetworkMap()
    for link in links { map.insert(link) }
    for route in routes { map.insert(route) }
    return map
  }

  private func route(_ family: NetworkRoute.Family, _ destination: [UInt8], _ prefixLength: UInt8)
    -> NetworkRoute
  {
    NetworkRoute(family: family, destination: destination, prefixLength: prefixLength, interfaces: [2])
  }

  @Test func `an empty map is offline`() {
    #expect(NetworkMap().status == .offline)
  }

  @Test func `a running link and a route over it are online`() {
    #expect(map([wire], [standard]).status == .online)
    #expect(map([wire], []).status == .offline)
    #expect(map([], [standard]).status == .offline)
    #expect(map([wire], [NetworkRoute(family: .ip4, interfaces: [3])]).status == .offline)
    #expect(map([NetworkLink(index: 2, isRunning: false)], [standard]).status == .offline)
  }

  @Test(arguments: [
    (0x1043, true), (0x1003, false), (0x1002, false), (0x42, false), (0x49, false), (0x9, false),
    (0x11043, true),
  ])
  func `a link runs when it is up, has a carrier and is not loopback`(flags: UInt32, isRunning: Bool) {
    #expect(NetworkLink(index: 2, flags: flags).isRunning == isRunning)
  }

  @Test func `a route to a local network is enough to be online`() {
    #expect(map([wire], [route(.ip4, [192, 168, 1, 0], 24)]).status == .online)
    #expect(map([wire], [route(.ip6, [0xFD, 0x12, 0x34], 64)]).status == .online)
  }

  @Test func `routes that every link has do not count`() {
    for only in [
      route(.ip6, [0xFE, 0x80], 64), route(.ip6, [0xFE, 0xBF], 128), route(.ip6, [0xFF, 0x02], 16),
      route(.ip4, [169, 254, 0, 0], 16), route(.ip4, [169, 254, 169, 254], 32),
      route(.ip4, [224, 0, 0, 0], 4),
      route(.ip4, [239, 1, 2, 3], 32), route(.ip4, [127, 0, 0, 0], 8),
    ] {
      #expect(map([wire], [only]).status == .offline, "\(only)")
    }
  }

  @Test func `routes that are wider than those, or next to them, count`() {
    for wider in [
      route(.ip4, [], 0), route(.ip4, [128, 0, 0, 0], 1), route(.ip4, [169, 254, 0, 0], 15),
      route(.ip4, [224, 0, 0, 0], 3), route(.ip4, [169, 253, 0, 0], 16), route(.ip4, [223, 0, 0, 0], 8),
      route(.ip6, [], 0), route(.ip6, [0xFE, 0xC0], 10), route(.ip6, [0xFE, 0x80], 9), route(.ip6, [0x20], 3),
    ] {
      #expect(map([wire], [wider]).status == .online, "\(wider)")
    }
  }

  @Test func `routes that forward nothing do not count`() {
    for type: UInt8 in 0...11 where type != NetworkRoute.unicast {
      var route = standard
      route.type = type
      #expect(map([wire], [route]).status == .offline)
    }
    var ours = standard
    ours.table = NetworkRoute.localTable
    #expect(map([wire], [ours]).status == .offline)
    var copy = standard
    copy.isCloned = true
    #expect(map([wire], [copy]).status == .offline)
    #expect(map([wire], [NetworkRoute(family: .ip4)]).status == .offline)
  }

  @Test func `a route in any table and over any path counts`() {
    var other = standard
    other.table = 51820
    #expect(map([wire], [other]).status == .online)
    #expect(map([wire], [NetworkRoute(family: .ip6, interfaces: [9, 2])]).status == .online)
  }

  @Test func `a route without an interface needs a running one`() {
    let unnamed = NetworkRoute(family: .ip4, interfaces: [0])
    #expect(map([wire], [unnamed]).status == .online)
    #expect(map([NetworkLink(index: 2, isRunning: false)], [unnamed]).status == .offline)
    #expect(map([NetworkLink(index: 1, flags: 0x49)], [unnamed]).status == .offline)
  }

  @Test func `a map contains its links and routes`() {
    let map = map([wire], [standard])
    #expect(map.has(wire))
    #expect(!map.has(NetworkLink(index: 2, isRunning: false)))
    #expect(!map.has(NetworkLink(index: 3, isRunning: true)))
    #expect(map.hasLink(2) && !map.hasLink(3))
    #expect(map.has(route(.ip4, [10, 0, 0, 0], 8)))
    #expect(!map.has(NetworkRoute(family: .ip4, interfaces: [2, 3])))
    #expect(
      map.has(NetworkRoute(family: .ip6, destination: [0xFE, 0x80], prefixLength: 64, interfaces: [3])))
  }
}
