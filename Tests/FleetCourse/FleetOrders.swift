/// The task of a worker, as the words of its command line.
package struct FleetOrders: Sendable, Hashable {
  /// More than the slow receiver's luck ever takes: a dead letter is a fault.
  package static let maxAttempts = 20

  /// The URL of the database.
  package var store: String
  /// The length of a lease, in milliseconds.
  package var lease = 60_000
  /// How long a worker may give no sign of life, in milliseconds.
  package var absence = 30_000
  /// The most requests in flight at once.
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
