public import ErrandCore

extension Request {
  /// Lets the call wait while there is no network, instead of failing at once. It is sent as soon as the monitor reports
  /// a network.
  ///
  /// The status is only a hint: it may be wrong. A call that waits is therefore tried after 5 s, and then at intervals
  /// of up to 30 s, and when the time is up. If the time is up, the call fails as it does without this modifier. If
  /// an attempt fails to reach a server while there is no network, the call waits again. A call whose bytes
  /// may have reached the server does not, and neither does a body that is a stream. The call's deadline, its scope and
  /// its cancellation end the wait.
  /// - Parameters:
  ///   - limit: The time that the call may wait, from its beginning. Zero or less does not wait.
  ///   - monitor: The monitor of the network. Default: the system's.
  public func waitsForNetwork(
    within limit: Duration, _ monitor: some ReachabilityMonitor = Reachability.shared
  ) -> Request {
    waiting(for: NetworkRule(MonitoredNetwork(monitor), within: limit))
  }
}

/// The network, by a monitor.
private struct MonitoredNetwork<Monitor: ReachabilityMonitor>: NetworkGate {
  private let monitor: Monitor

  init(_ monitor: Monitor) { self.monitor = monitor }

  var mayBeOnline: Bool { monitor.current != .offline }

  func waitUntilOnline() async {
    for await status in monitor.updates where status != .offline { return }
  }
}
