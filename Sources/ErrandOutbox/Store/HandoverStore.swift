/// A store that can hand requests over to a background session of the system (`Outbox.deliverInBackground`).
/// The session sends them while no process of the app runs.
///
/// A row that was handed over belongs to its session and to no owner. It stays claimed when its process ends,
/// when every store is closed, and when the machine restarts. It is free again when an attempt with its lease
/// is finished, or `SessionLease.length` after it was handed over or after the last restart.
package protocol HandoverStore: OutboxStore {
  /// Notes that a session has these claimed rows. Their leases count as begun from now on.
  /// - Parameter session: The name of the session, the same in each process and at each launch.
  /// - Returns: The leases that were lost. Other owners may have their rows, so the session must not send
  ///   them.
  func hand(_ leases: [Lease], to session: String) async throws -> [Lease]

  /// Returns the leases of the rows that a session has, in the order of enqueue.
  func handed(to session: String) async throws -> [Lease]

  /// Gives back all claimed rows except those of a session, and closes files and connections until `resume`:
  /// the process then holds no lock. An operation before `resume` opens the store only for itself.
  func suspend() async

  /// Opens the store again after `suspend`, as another owner. Does nothing if it is open.
  func resume() async throws
}

/// The lease of a request that a session has.
package enum SessionLease {
  /// The longest time that a session has a request: a week, after which the system gives up, too.
  package static let length: Duration = .seconds(7 * 86_400)
}
