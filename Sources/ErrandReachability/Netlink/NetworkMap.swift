/// The links that lead out of this machine, and those of them through which a server could be reached.
struct NetworkMap: Hashable, Sendable {
  /// Whether each link runs, by its index.
  private var links: [Int32: Bool] = [:]
  private var routed: Set<Int32> = []

  /// A route that does not name its interface counts for every running link: the next hop behind its number
  /// is in another table.
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
