#if canImport(Darwin)
  import Dispatch
  import Network

  /// Tells what the system's path monitor says, for as long as it lives.
  // Safe to share: the monitor is touched when this is made and when it goes, and by nobody between.
  final class PathWatch: @unchecked Sendable {
    private let monitor = NWPathMonitor()

    init(_ tell: @escaping NetworkBoard.Tell) {
      // A path that requires a connection, a VPN on demand for one, is made by the request that wants it.
      monitor.pathUpdateHandler = { path in tell(path.status == .unsatisfied ? .offline : .online) }
      monitor.start(queue: DispatchQueue(label: "errand.reachability"))
    }

    deinit { monitor.cancel() }
  }
#endif
