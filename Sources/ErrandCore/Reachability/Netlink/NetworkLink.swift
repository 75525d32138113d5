/// A network interface, as far as it matters here.
struct NetworkLink: Hashable, Sendable {
  let index: Int32
  /// It is up, has a carrier, and leads out of this machine.
  let isRunning: Bool

  init(index: Int32, isRunning: Bool) {
    self.index = index
    self.isRunning = isRunning
  }

  /// - Parameter flags: As in netdevice(7). The kernel leaves the routes of a link without carrier as they are, so that
  ///   it is up says too little.
  init(index: Int32, flags: UInt32) {
    let upAndRunning: UInt32 = 0x1 | 0x40
    let loopback: UInt32 = 0x8
    self.init(index: index, isRunning: flags & upAndRunning == upAndRunning && flags & loopback == 0)
  }
}
