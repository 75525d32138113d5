import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Outbox {
  /// Looks for requests to deliver at once. If `delivers` is false, this call begins delivery.
  public func deliver() { dispatcher.start() }

  /// True if this process delivers.
  package var isDelivering: Bool { dispatcher.isStarted }

  /// Retries at once the requests that are stored, dead letters or expired, even if their origins are held.
  /// A dead letter or an expired request returns to its place in its lane with all of its attempts, without
  /// its last response, and does not expire any more. A stored request keeps its attempts and its expiry.
  /// - Parameters:
  ///   - selection: The requests. Requests in other states stay as they are.
  ///   - force: True to free requests that are being attempted, too: for an operator who knows that their
  ///     process is gone or hangs. The attempt counts, and ends unless it is delivered. If its process still
  ///     works, a server may receive the request twice. Default: false.
  /// - Returns: The requests that are retried.
  /// - Throws: `OutboxError`.
  @discardableResult
  public func retry(_ selection: OutboxSelection, force: Bool = false) async throws -> [OutboxEntry] {
    let rows = try await store.retry(selection, force: force)
    hub.publish(rows)
    if force { await dispatcher.dropLostRows() }
    dispatcher.release(Array(Set(rows.map(\.origin))))
    return rows.map(storage.entry)
  }

  /// Drops requests that are stored, dead letters or expired. Requests that are being attempted stay.
  /// - Parameter reason: The reason that entries and events show. Default: "dropped by hand".
  /// - Returns: The dropped requests.
  /// - Throws: `OutboxError`.
  @discardableResult
  public func drop(
    _ selection: OutboxSelection, reason: String = "dropped by hand"
  ) async throws -> [OutboxEntry] {
    let dropped = try await store.drop(selection, reason: reason)
    hub.publish(dropped.rows)
    await storage.blobs.remove(dropped.files)
    dispatcher.look()
    return dropped.rows.map(storage.entry)
  }

  /// Begins no new attempts, in any process, until `resume`. Attempts in flight continue.
  /// - Parameter lane: The lane to pause; nil to pause the whole outbox. Default: nil.
  /// - Throws: `OutboxError`.
  public func pause(lane: String? = nil) async throws {
    try await store.setPaused(true, lane: lane)
  }

  /// Resumes a paused lane or the whole outbox.
  /// - Parameter lane: The lane to resume; nil to resume the whole outbox and all held origins. Default: nil.
  /// - Throws: `OutboxError`.
  public func resume(lane: String? = nil) async throws {
    try await store.setPaused(false, lane: lane)
    guard lane == nil else { return dispatcher.look() }
    try await resume(origin: nil)
  }

  /// Resumes sending to a held origin, in every process. One request is sent first, and the others follow if
  /// it is accepted.
  /// - Parameters:
  ///   - origin: The origin as `heldOrigins` returns it, or any URL of it; nil for all origins.
  ///   - key: One key within that origin; nil for all keys and for the requests without a key. Default: nil.
  /// - Throws: `OutboxError`.
  public func resume(origin: String?, key: String? = nil) async throws {
    var names: [String]?
    if let origin {
      guard let url = URL(string: origin), let found = Origin(url), ["http", "https"].contains(found.scheme)
      else {
        throw OutboxError(.failed, "\"\(origin)\" is not an origin; write it like https://example.com")
      }
      let address = OriginAddress(url, key: key)
      names =
        key == nil
        ? try await storage.names(of: [address], heldIn: store) : [storage.originName(of: address)]
    }
    try await store.release(names)
    dispatcher.release(names)
  }
}
