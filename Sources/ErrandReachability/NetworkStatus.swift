/// Whether this machine has a network. A hint, not a promise: `online` says nothing about the server, and a
/// network may be back before the system reports it. So do not refuse a request because of it, and when
/// waiting for `online`, try from time to time all the same.
public enum NetworkStatus: Sendable, Hashable {
  /// At least one network is reachable, if only the local one: the server may be there.
  case online
  /// No other machine can be reached. Requests to `localhost` need no network.
  case offline
  /// The status is not known: not reported yet, or this system does not report it. Treat it as `online`.
  case unknown
}
