#if Postgres
  public import ErrandCore
  public import ErrandOutbox

  extension Outbox {
    /// Opens the outbox on a database, with large bodies in its tables, and begins to deliver its requests.
    ///
    /// Every machine that opens it delivers, and no two send the same request at once.
    /// - Parameters:
    ///   - store: The store on the database.
    ///   - client: The client that sends the requests, through its interceptors. They take none of its slots.
    ///   - configuration: The settings. Default: those of `OutboxConfiguration()`.
    /// - Throws: `OutboxError`.
    public convenience init(
      store: PostgresOutboxStore, client: Client, configuration: OutboxConfiguration = OutboxConfiguration()
    ) async throws {
      try await self.init(store: store, blobs: store.blobs, client: client, configuration: configuration)
    }
  }
#endif
