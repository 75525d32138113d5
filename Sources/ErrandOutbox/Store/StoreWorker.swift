/// A process that has claimed requests of a store, or may claim some.
package struct StoreWorker: Sendable, Hashable {
  /// The name of the process in the store.
  package var name: String
  /// The number of requests that it is attempting.
  package var claims: Int
  /// False if the process is gone.
  package var isAlive: Bool
  /// True for the store that was asked.
  package var isOwn: Bool

  package init(name: String, claims: Int, isAlive: Bool, isOwn: Bool) {
    (self.name, self.claims, self.isAlive, self.isOwn) = (name, claims, isAlive, isOwn)
  }

  /// The state as words.
  package var stateText: String {
    if isOwn { return "this process" }
    return isAlive ? "alive" : "gone: others take its requests over"
  }
}

extension OutboxStore {
  /// Returns no workers, for a store that does not know them.
  package func claimants() async throws -> [StoreWorker] { [] }
}

extension Outbox {
  /// The processes that have claimed requests.
  package func claimants() async throws -> [StoreWorker] { try await store.claimants() }
}
