/// A network interface, with the properties that matter for reachability.
struct NetworkLink: Hashable, Sendable {
  let index: Int32
  /// True if the link is up, has a carrier, and leads out of this machine.
  let isRunning: Bool

  init(index: Int32, isRunning: Bool) {
    self.index = index
    self.isRunning = isRunning
  }

  /// - Parameter flags: The flags of netdevice(7). The kernel keeps the routes of a link that lost its
  ///   carrier, so IFF_UP alone is not enough.
  init(index: Int32, flags: UInt32) {
    let upAndRunning: UInt32 = 0x1 | 0x40
    let loopback: UInt32 = 0x8
    self.init(index: index, isRunning: flags & upAndRunning == upAndRunning && flags & loopback == 0)
  }
}
