/// The task of a worker, as its command-line arguments.
package struct FleetOrders: Sendable, Hashable {
  /// More attempts than the slow receiver ever needs, because a dead letter is a fault.
  package static let maxAttempts = 20

  /// The URL of the database.
  package var store: String
  /// The length of a lease, in milliseconds.
  package var lease = 60_000
  /// The time in milliseconds after which a worker without a heartbeat counts as dead.
  package var absence = 30_000
  /// The maximum number of requests in flight.
  package var concurrency = 16

  package init(store: String) { self.store = store }

  package var words: [String] { [store, "\(lease)", "\(absence)", "\(concurrency)"] }

  package init?(words: [String]) {
    guard words.count == 4, let lease = Int(words[1]), let absence = Int(words[2]),
      let concurrency = Int(words[3])
    else { return nil }
    self.init(store: words[0])
    (self.lease, self.absence, self.concurrency) = (lease, absence, concurrency)
  }
}
