import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import Testing

@testable import ErrandConformance

@Suite struct SQLiteOutboxStoreConformanceTests {
  @Test("a store on SQLite conforms", arguments: OutboxStoreConformance.cases)
  func thread(_ requirement: OutboxStoreConformance.Case) async throws {
    try await OutboxStoreConformance { SQLitePlace() }.run(requirement)
  }

  @Test(
    "a store on SQLite conforms when everything happens on the caller's thread",
    arguments: OutboxStoreConformance.cases)
  func inCaller(_ requirement: OutboxStoreConformance.Case) async throws {
    var setup = StoreSetup()
    setup.runsInCaller = true
    try await OutboxStoreConformance { [setup] in SQLitePlace(setup) }.run(requirement)
  }
}
