import ErrandCore

#if canImport(Darwin)
  import Dispatch
  import Network
#endif

/// The system's network status. See `NetworkStatus` for its limits.
///
/// ```swift
/// for await status in Reachability.shared.updates where status != .offline { await sync() }
/// ```
///
/// - Linux: the status is online if the machine has a route to an address outside itself, over an interface
///   that is up, has a carrier and is not loopback. A default route is not needed, because the server may be
///   on the local network. A bridge of containers or a VPN with an established tunnel also counts, even if it
///   leads nowhere. The kernel (rtnetlink(7)) reports changes in the network namespace of the thread that
///   used the monitor first. If that is forbidden, as in some sandboxes, the status stays `unknown`.
/// - Apple's platforms: the status is offline if the system's path monitor reports `unsatisfied`. It is
///   `unknown` until the first report, shortly after the first use.
///
/// Before its first use, a monitor reads nothing, and uses no thread or socket. After that, it runs only when
/// the network changes. Watching ends when the instance and all its updates have been released.
public final class Reachability: ReachabilityMonitor {
  /// The shared instance. It uses one socket, or one path monitor, for any number of users.
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

  /// The latest known status. The first use starts the monitor.
  public var current: NetworkStatus { status.watched.current }

  public var updates: some AsyncSequence<NetworkStatus, Never> & Sendable {
    NetworkUpdates(self.status.watched)
  }
}

/// The network status and its watcher, which sets the status from the first use until this object is released.
final class WatchedStatus: Sendable {
  typealias Tell = @Sendable (NetworkStatus) -> Void
  /// Starts to watch, until the returned object is released. Returns nil if the network cannot be watched.
  typealias Watcher = @Sendable (_ tell: @escaping Tell) -> (any AnyObject & Sendable)?

  private enum Watch {
    case toBegin(Watcher)
    case begun((any AnyObject & Sendable)?)
  }

  private let watch: Locked<Watch>
  private let status = CurrentValue(NetworkStatus.unknown)

  init(_ watcher: @escaping Watcher) { watch = Locked(.toBegin(watcher)) }

  /// The status, after the watcher has started. A second caller waits until the first dump has ended, so that
  /// it does not read an older status. The watcher sets the status under this lock, which is safe, because no
  /// reader waits yet.
  var watched: CurrentValue<NetworkStatus, NetworkStatus> {
    watch.withLock { watch in
      guard case .toBegin(let watcher) = watch else { return }
      watch = .begun(watcher { [status] in status.set($0) })
    }
    return status
  }
}

#if canImport(Darwin)
  /// Reports the status of the system's path monitor until it is released.
  final class PathWatch: Sendable {
    private let monitor = Locked(NWPathMonitor())

    init(_ tell: @escaping WatchedStatus.Tell) {
      // `requiresConnection`, such as a VPN on demand, counts as online, because a request establishes that
      // connection.
      monitor.withLock { monitor in
        monitor.pathUpdateHandler = { path in tell(path.status == .unsatisfied ? .offline : .online) }
        monitor.start(queue: DispatchQueue(label: "errand.reachability"))
      }
    }

    deinit { monitor.withLock { $0.cancel() } }
  }
#endif
