import ErrandCore

/// The system's network status: see `NetworkStatus` for what it is worth.
///
/// ```swift
/// for await status in Reachability.shared.updates where status != .offline { await sync() }
/// ```
///
/// - Linux: the status is online if the machine has a route to an address beyond itself, over an interface
///   other than loopback that is up and has a carrier. A default route is not needed: the server may be on
///   the local network. A bridge of containers or a VPN with an established tunnel counts as well, though it
///   may lead nowhere. The kernel (rtnetlink(7)) reports changes in the network namespace of the thread that
///   used the monitor first. Where that is forbidden, as in some sandboxes, the status stays `unknown`.
/// - Apple's platforms: the status is offline if the system's path monitor reports `unsatisfied`. It is
///   `unknown` until the first report, which comes soon after the first use.
///
/// Before the first use nothing is read, and no thread or socket is used. After it nothing runs until the
/// network changes. Watching ends when the instance and all of its updates have been released.
public final class Reachability: ReachabilityMonitor {
  /// The shared instance: it uses one socket, or one path monitor, for any number of users.
  public static let shared = Reachability()

  private let status: WatchedStatus

  /// Makes a monitor of the system's network, which starts on its first use.
  public init() {
    status = WatchedStatus { tell in
      #if canImport(Darwin)
        PathWatch(tell)
      #elseif os(Linux)
        NetlinkSocket().map { NetlinkWatch($0, tell) }
      #else
        nil
      #endif
    }
  }

  init(_ watcher: @escaping WatchedStatus.Watcher) { status = WatchedStatus(watcher) }

  public var current: NetworkStatus { status.watched.current }

  public var updates: NetworkUpdates { NetworkUpdates(self.status.watched) }
}
