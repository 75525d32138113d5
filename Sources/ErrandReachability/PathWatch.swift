#if canImport(Darwin)
  import Dispatch
  import ErrandCore
  import Network

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
