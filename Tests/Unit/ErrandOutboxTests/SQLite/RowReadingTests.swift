import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// The store says which of two rows was read later, because the order in which tasks run does not.
@Suite struct RowReadingTests {
  private let folder = StoreTestFolder(isOnDisk: false)

  @Test func `each row that a store returns is a later reading than the rows before it`() async throws {
    let store = try await folder.open()
    let ids = ["a", "b", "c"].map(OutboxID.init(rawValue:))
    try await store.add(.sample("a"), .sample("b"), .sample("c"))
    var readings = try await store.rows(ids).compactMap { $0?.reading.number }
    let claim = try await store.claim(2, for: .seconds(60))
    readings += claim.rows.map(\.row.reading.number)
    readings += try await store.rows(ids).compactMap { $0?.reading.number }
    let ends: [FinishedAttempt.Outcome] = [
      .delivered(response: Data()), .failed(reason: "", next: .zero, counts: true, wasOffline: false),
    ]
    let attempts = zip(claim.rows, ends).map { FinishedAttempt(lease: $0.lease, outcome: $1) }
    readings += try await store.finish(attempts).compactMap { $0.row?.reading.number }
    readings += try await store.drop(OutboxSelection(ids: [ids[2]]), reason: "").rows.map(
      \.reading.number)
    readings += try await store.list(.all, after: 0, limit: 10).map(\.reading.number)
    #expect(readings.count == 14)
    #expect(readings == Array(Set(readings)).sorted())
    await store.close()
  }
}
