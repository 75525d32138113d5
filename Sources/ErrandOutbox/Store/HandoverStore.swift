/// A store whose requests may be handed over to a background session of the system (`Outbox.deliverInBackground`), which
/// sends them while no process of the app runs.
///
/// A row that was handed over belongs to its session and to no owner: it stays claimed when its process ends, when every
/// store is closed and when the machine is restarted, until an attempt with its lease is finished or
/// `SessionLease.length` has passed since it was handed over, or since the last restart.
public protocol HandoverStore: OutboxStore {
  /// Notes that a session has these claimed rows. Their leases count as begun from now on.
  /// - Parameter session: Names the session, the same in each process and at each launch.
  /// - Returns: The leases that were lost: another owner may have their rows, and the session must not send them.
  func hand(_ leases: [Lease], to session: String) async throws -> [Lease]

  /// Returns the leases of the rows that a session has, in the order of enqueue.
  func handed(to session: String) async throws -> [Lease]

  /// Gives all claimed rows back, except those that a session has, and closes files and connections, until `resume`: the
  /// process holds no lock. An operation before that opens the store for itself alone.
  func suspend() async

  /// Opens the store again after `suspend`, as another owner. Does nothing if it is open.
  func resume() async throws
}

/// The lease of a request that a session has.
public enum SessionLease {
  /// How long a session has a request at the longest: a week, after which the system gives up, too.
  public static let length: Duration = .seconds(7 * 86_400)
}
