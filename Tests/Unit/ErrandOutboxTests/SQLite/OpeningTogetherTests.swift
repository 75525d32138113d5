import ErrandOutbox
import ErrandOutboxSQLite
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct OpeningTogetherTests {
  @Test func `stores that are opened concurrently on a new folder share one undamaged database`() async throws
  {
    for _ in 0..<30 {
      let folder = StoreTestFolder()
      let stores = try await withThrowingTaskGroup(of: SQLiteOutboxStore.self) { group in
        for _ in 0..<6 { group.addTask { try await SQLiteOutboxStore(folder: folder.url) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for store in stores { #expect(try await store.statistics() == OutboxStatistics()) }
      for store in stores { await store.close() }
    }
  }
}
