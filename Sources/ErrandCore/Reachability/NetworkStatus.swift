/// Whether this machine has a network. A hint, never a promise: `online` says nothing of the server at the other end, and
/// a network may come back before anybody has said so. So a request should not be refused because of it, and whoever
/// waits for `online` should try at times all the same.
public enum NetworkStatus: Sendable, Hashable {
  /// There is a way out of this machine, if only to its neighbours: the server may be one of them.
  case online
  /// Nothing but this machine itself can be reached. Requests to `localhost` need no network.
  case offline
  /// It is not known: nobody has said yet, or this system does not say. Treat it as `online`.
  case unknown
}
