public import ErrandCore
public import ErrandOutbox

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Outbox {
  /// Opens the outbox in a folder, and begins to deliver its requests.
  /// - Parameters:
  ///   - folder: A folder of the outbox's own, on a local disk that is not purged. Made if it is missing, for
  ///     this user only.
  ///   - client: Sends the requests, through its interceptors. They take none of its slots.
  /// - Throws: `OutboxError`.
  public convenience init(
    at folder: URL, client: Client, configuration: OutboxConfiguration = OutboxConfiguration()
  ) async throws {
    try await self.init(at: folder, client: client, configuration: configuration, setup: StoreSetup())
  }

  package convenience init(
    at folder: URL, client: Client, configuration: OutboxConfiguration, setup: StoreSetup
  ) async throws {
    let store = try await SQLiteOutboxStore(folder: folder, setup: setup)
    try await self.init(store: store, folder: folder, client: client, configuration: configuration)
  }
}
