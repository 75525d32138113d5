#if canImport(Darwin)
  import Dispatch
  import Network

  /// Reports the status of the system's path monitor, for as long as it lives.
  // Safe to share: the monitor is used only in `init` and `deinit`.
  final class PathWatch: @unchecked Sendable {
    private let monitor = NWPathMonitor()

    init(_ tell: @escaping WatchedStatus.Tell) {
      // `requiresConnection` (for example a VPN on demand) counts as online: the request that needs the
      // connection makes it.
      monitor.pathUpdateHandler = { path in tell(path.status == .unsatisfied ? .offline : .online) }
      monitor.start(queue: DispatchQueue(label: "errand.reachability"))
    }

    deinit { monitor.cancel() }
  }
#endif
