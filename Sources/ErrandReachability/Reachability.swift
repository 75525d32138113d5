import ErrandCore

#if canImport(Darwin)
  import Dispatch
  import Network
#endif

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

/// The network status and the watcher that sets it, from the first use until this is released.
final class WatchedStatus: Sendable {
  typealias Tell = @Sendable (NetworkStatus) -> Void
  /// Begins to watch, and goes on until the returned object is released; nil if the network cannot be
  /// watched.
  typealias Watcher = @Sendable (_ tell: @escaping Tell) -> (any AnyObject & Sendable)?

  private enum Watch {
    case toBegin(Watcher)
    case begun((any AnyObject & Sendable)?)
  }

  private let watch: Locked<Watch>
  private let status = CurrentValue(NetworkStatus.unknown)

  init(_ watcher: @escaping Watcher) { watch = Locked(.toBegin(watcher)) }

  /// The status, watched. The first use starts the watcher, and a second one waits until the first dump is
  /// done, so that it does not read an older status. The watcher sets the status under this lock, which is
  /// safe: there are no readers yet to resume.
  var watched: CurrentValue<NetworkStatus, NetworkStatus> {
    watch.withLock { watch in
      guard case .toBegin(let watcher) = watch else { return }
      watch = .begun(watcher { [status] in status.set($0) })
    }
    return status
  }
}

#if canImport(Darwin)
  /// Reports the status of the system's path monitor, for as long as it lives.
  final class PathWatch: Sendable {
    private let monitor = Locked(NWPathMonitor())

    init(_ tell: @escaping WatchedStatus.Tell) {
      // `requiresConnection` (for example a VPN on demand) counts as online: the request that needs the
      // connection makes it.
      monitor.withLock { monitor in
        monitor.pathUpdateHandler = { path in tell(path.status == .unsatisfied ? .offline : .online) }
        monitor.start(queue: DispatchQueue(label: "errand.reachability"))
      }
    }

    deinit { monitor.withLock { $0.cancel() } }
  }
#endif
