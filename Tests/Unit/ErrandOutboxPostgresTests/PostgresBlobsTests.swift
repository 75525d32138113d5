#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  @testable import ErrandConformance
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import TestSupport
  import Testing

  @Suite struct PostgresBlobsTests {
    private struct Place: BlobStoreConformance.Place {
      let schema = "s\(UInt64.random(in: 0...(.max)))"

      func open() async throws -> any BlobStore {
        var settings = PostgresSettings()
        settings.schema = schema
        settings.connections = 1
        settings.listens = false
        let store = try await PostgresOutboxStore(
          try await PostgresCluster.shared().url(), settings: settings)
        return Kept(blobs: store.blobs, store: store)
      }
    }

    /// Blobs, and the store that contains them.
    private struct Kept: BlobStore {
      let blobs: any BlobStore
      let store: PostgresOutboxStore

      var location: String { blobs.location }
      func put(_ sources: [BlobSource]) async throws -> [StoredBlob] { try await blobs.put(sources) }
      func open(_ name: String, size: Int64) throws -> any BodyReader { try blobs.open(name, size: size) }
      func check(_ name: String, size: Int64) throws { try blobs.check(name, size: size) }
      func remove(_ names: [String]) async { await blobs.remove(names) }
      func sweep(used: ([String]) async throws -> Set<String>) async throws -> [String] {
        try await blobs.sweep(used: used)
      }
      func value(_ name: String) async throws -> Data? { try await blobs.value(name) }
      func setValue(_ data: Data, _ name: String) async throws { try await blobs.setValue(data, name) }
    }

    @Test("blobs on PostgreSQL conform", arguments: BlobStoreConformance.cases)
    func blobs(_ requirement: BlobStoreConformance.Case) async throws {
      try await BlobStoreConformance { Place() }.run(requirement)
    }
  }
#endif
