import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Outbox {
  /// Looks at once for requests to deliver. With `delivers` off, this begins delivering.
  public func deliver() { dispatcher.start() }

  /// Retries requests at once that are stored, dead letters or expired, even if their origins are held. Dead
  /// letters and expired requests take their old places.
  /// - Parameters:
  ///   - selection: The requests. Those in other states stay as they are.
  ///   - force: True to free requests that are being attempted, too: for an operator who knows that their
  ///     process is gone or hangs. The attempt counts, and ends unless it is delivered. If its process still
  ///     works, a server may receive the request twice. Default: false.
  /// - Returns: The requests that are retried.
  @discardableResult
  public func retry(_ selection: OutboxSelection, force: Bool = false) async throws -> [OutboxEntry] {
    let rows = try await store.retry(selection, force: force)
    hub.publish(rows)
    if force { await dispatcher.dropLostRows() }
    dispatcher.release(Array(Set(rows.map(\.origin))))
    return rows.map(storage.entry)
  }

  /// Drops requests that are stored, dead letters or expired. Requests that are being attempted stay.
  /// - Returns: The dropped requests.
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

  /// Begins no more attempts, in any process, until `resume`. Attempts under way go on.
  /// - Parameter lane: One lane; nil for everything.
  public func pause(lane: String? = nil) async throws {
    try await store.setPaused(true, lane: lane)
  }

  /// Resumes what was paused.
  /// - Parameter lane: One lane; nil for everything, and for origins that are held.
  public func resume(lane: String? = nil) async throws {
    try await store.setPaused(false, lane: lane)
    guard lane == nil else { return dispatcher.look() }
    try await resume(origin: nil)
  }

  /// Resumes sending to an origin that is held, in every process: one request first, and the others if that
  /// one gets through.
  /// - Parameters:
  ///   - origin: The origin as `heldOrigins` returns it, or any URL of it; nil for all.
  ///   - key: One key within that origin; nil for all of them, and for the requests without a key.
  public func resume(origin: String?, key: String? = nil) async throws {
    var names: [String]?
    if let origin {
      guard let url = URL(string: origin), let found = Origin(url), ["http", "https"].contains(found.scheme)
      else {
        throw OutboxError(.failed, "\"\(origin)\" is not an origin; one looks like https://example.com")
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
