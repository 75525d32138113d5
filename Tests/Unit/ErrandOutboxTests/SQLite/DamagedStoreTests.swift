import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// The program `model damage` tests damage of other kinds, to any byte of the file.
@Suite struct DamagedStoreTests {
  @Test(arguments: ["requests", "contents"])
  func `a row with damaged content becomes a dead letter with a reason, and its lane continues`(
    _ table: String
  ) async throws {
    let folder = StoreTestFolder()
    let store = try await folder.open()
    let size = table == "contents" ? 5000 : 100
    try await store.add(.sample("one", lane: "l", size: size), .sample("three", lane: "l"))
    await store.close()
    let other = try folder.connect()
    try other.execute("UPDATE \(table) SET content = zeroblob(20) WHERE seq = 1")
    #expect(other.changes == 1)
    other.close()
    let again = try await folder.open()
    let claim = try await again.claim(10, for: .seconds(1))
    #expect(claim.rows.isEmpty)
    #expect(claim.deadLettered.map(\.id.rawValue) == ["one"])
    #expect(claim.deadLettered.first?.state == .deadLettered)
    #expect(claim.deadLettered.first?.reason?.contains("damaged") == true)
    #expect(claim.next == .zero)
    let next = try await again.claim(10, for: .seconds(1))
    #expect(next.rows.map(\.row.id.rawValue) == ["three"])
    await #expect(throws: OutboxError.self) { try await again.contents(of: [OutboxID(rawValue: "one")]) }
    await again.close()
  }

  @Test(arguments: ["size", "attempts", "counted", "lease", "due", "created", "changed"], [Int64.max, .min])
  func `no number in the file crashes the process`(column: String, number: Int64) async throws {
    let folder = StoreTestFolder(isOnDisk: false)
    var store = try await folder.open()
    for name in 0..<20 { try await store.add(.sample("\(name)")) }
    await store.close()
    let other = try folder.connect()
    try other.execute("UPDATE requests SET \(column) = \(number)")
    try other.execute("UPDATE totals SET count = \(number), bytes = \(number) WHERE state IN (0, 1, 3)")
    other.close()
    store = try await folder.open()
    _ = try? await store.statistics()
    _ = try? await store.claim(5, for: .seconds(1))
    _ = try? await store.retry(.all)
    _ = try? await store.add([.sample("more")], within: OutboxCaps())
    _ = try? await store.drop(.all, reason: "")
    _ = try? await store.statistics()
    await store.close()
  }
}
