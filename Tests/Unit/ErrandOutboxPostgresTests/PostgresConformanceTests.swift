#if Postgres
  import ErrandOutbox
  @testable import ErrandConformance
  import ErrandTesting
  import Testing

  @Suite struct PostgresConformanceTests {
    @Test("a store on PostgreSQL conforms", arguments: OutboxStoreConformance.cases)
    func store(_ requirement: OutboxStoreConformance.Case) async throws {
      try await OutboxStoreConformance { PostgresPlace() }.run(requirement)
    }
  }
#endif
