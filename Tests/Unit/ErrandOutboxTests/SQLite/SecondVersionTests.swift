import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// A file of version 2, which had no origins, with requests in every state.
@Suite(.computesLong, .timeLimit(.minutes(1))) struct SecondVersionTests {
  private let harness: OutboxHarness

  init() throws {
    harness = try OutboxHarness()
    harness.server.otherwise { _ in .response() }
  }

  private struct Row {
    let state: OutboxState
    var lane: String?
    /// Its place in its lane.
    var head: Int? = 1
    var text = ""
    var hasFile = false
    /// True if its response is in a separate table.
    var isResponseApart = false
    /// Names and values of other columns.
    var more: [(String, String)] = []
  }

  private var rows: [Row] {
    let now = StoreTime.now()
    let claimed = [
      ("lease", "1"), ("lease_end", "\(now.ticks + 60_000)"), ("tries", "1"), ("counted", "1"),
    ]
    return [
      Row(state: .stored, text: "first"),
      Row(state: .stored, lane: "a", text: "head"),
      Row(state: .stored, lane: "a", head: 0, text: "behind"),
      Row(
        state: .stored, text: "due",
        more: [
          ("due", "\(now.ticks + 200)"), ("due_wall", "\(now.wall + 200)"), ("delay", "200"),
          ("offline", "1"),
          ("tries", "1"), ("counted", "0"), ("reason", "'no way'"),
        ]),
      Row(state: .stored, text: String(repeating: "long", count: 5000), hasFile: true),
      Row(
        state: .stored, text: "in time",
        more: [
          ("expires", "\(now.ticks + 60_000)"), ("expires_wall", "\(now.wall + 60_000)"),
          ("lifetime", "60000"),
        ]),
      Row(state: .attempting, lane: "b", text: "gone", more: claimed + [("owner", "'gone'")]),
      Row(state: .stored, lane: "b", head: 0, text: "behind the gone"),
      Row(state: .delivered, head: nil, text: "delivered"),
      Row(
        state: .deadLettered, head: nil, text: "aside", more: [("reason", "'the server responded with 400'")]),
      Row(state: .expired, head: nil, text: "expired"),
      Row(state: .dropped, head: nil, text: "dropped"),
      Row(state: .delivered, head: nil, text: "delivered before", isResponseApart: true),
    ]
  }

  private static func hex(_ data: Data) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "x'\(String(decoding: text, as: UTF8.self))'"
  }

  /// Creates the file of version 2.
  /// - Parameter key: The key that encrypts its contents, or nil.
  private func makeFile(_ key: OutboxKey?) async throws {
    try FileManager.default.createDirectory(at: harness.folder, withIntermediateDirectories: true)
    let blobs = BlobFolder(in: harness.folder)
    let storage = RequestStorage(blobs, spool: blobs, key: key, secrets: Secrets())
    try await storage.open()
    let database = try Database(
      path: harness.folder.appending(path: "outbox.sqlite").path, busyTimeout: .zero)
    try database.execute(SecondSchema.sql)
    // The lock file of an owner that no longer exists: it is not locked.
    let owners = harness.folder.appending(path: "owners")
    try FileManager.default.createDirectory(at: owners, withIntermediateDirectories: true)
    try Data().write(to: owners.appending(path: "gone.lock"))
    for (index, row) in rows.enumerated() {
      try await insert(row, as: index + 1, into: database, storage)
    }
    try database.execute("INSERT INTO meta VALUES ('boot', '\(StoreTime.now().boot)')")
    database.close()
  }

  private func insert(
    _ row: Row, as sequence: Int, into database: Database, _ storage: RequestStorage
  ) async throws {
    let id = OutboxID(rawValue: "\(sequence)")
    var form = MultipartForm(boundary: "boundary").field("text", row.text)
    let file = harness.folder.appendingPathExtension("source")
    defer { try? FileManager.default.removeItem(at: file) }
    if row.hasFile {
      try Data.seeded(100_000).write(to: file)
      form = form.file("file", at: file)
    }
    let request = Request.post(harness.server.url("/\(sequence)"), .multipart(form))
    let new = try await storage.store(
      [OutboxItem(id: id, request: request, key: "key \(sequence)")], used: { Set($0) }, commit: { $0[0] })
    let isOpen = [.stored, .attempting, .deadLettered, .expired].contains(row.state)
    var columns = [
      ("seq", "\(sequence)"), ("id", "'\(id)'"), ("lane", row.lane.map { "'\($0)'" } ?? "NULL"),
      ("holds", "0"),
      ("priority", "0"), ("state", "\(row.state.rawValue)"), ("head", row.head.map { "\($0)" } ?? "NULL"),
      ("created", "5"), ("changed", "\(StoreTime.now().wall)"), ("size", "\(new.size)"),
      ("files", "\(new.files.count)"), ("summary", Self.hex(new.summary)),
    ]
    if isOpen {
      columns.append(("checksum", "\(OutboxTables.checksum(of: new.content))"))
      if row.hasFile {
        try database.execute("INSERT INTO contents VALUES (\(sequence), \(Self.hex(new.content)))")
      } else {
        columns.append(("content", Self.hex(new.content)))
      }
    }
    if [.delivered, .expired, .dropped].contains(row.state) {
      columns += [("ended", "\(row.state.rawValue)"), ("ended_at", "\(StoreTime.now().wall)")]
    }
    if row.state == .delivered {
      let response = OutboxResponse(
        status: HTTPStatus(200), fields: [:], body: Data("thanks".utf8), isWhole: true, limit: 100)
      let bytes = Self.hex(storage.wrapped(response: response.encoded(), of: id))
      if row.isResponseApart {
        try database.execute("INSERT INTO answers VALUES (\(sequence), \(bytes))")
      } else {
        columns.append(("answer", bytes))
      }
    }
    columns += row.more
    try database.execute(
      """
      INSERT INTO requests(\(columns.map(\.0).joined(separator: ", ")))
        VALUES (\(columns.map(\.1).joined(separator: ", ")));
      UPDATE totals SET count = count + 1, bytes = bytes + \(isOpen ? new.size : 0)
        WHERE state = \(row.state.rawValue)
      """)
    for name in new.files { try database.execute("INSERT INTO files VALUES ('\(name)', \(sequence))") }
  }

  @Test(arguments: [false, true])
  func `a file of version 2 is migrated, and everything in it is delivered`(isSealed: Bool)
    async throws
  {
    let key = isSealed ? OutboxKey.random() : nil
    try await makeFile(key)
    let outbox = try await harness.outbox {
      $0.key = key
      $0.delivers = false
    }
    let count = rows.count
    let before = try await outbox.list()
    #expect(before.map(\.state) == rows.map(\.state))
    #expect(before.map(\.url) == (1...count).map { "\(harness.server.url("/\($0)"))" })
    for index in [8, 12] { #expect(before[index].response?.body == Data("thanks".utf8)) }
    #expect(before.map(\.attempts) == [0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    let statistics = try await outbox.statistics()
    #expect(
      statistics.bytes
        == before.filter { $0.state.isOpen || $0.state == .deadLettered }.reduce(0) { $0 + $1.size })
    #expect(statistics.bytesInAll > statistics.bytes)
    try await outbox.retry(OutboxSelection(states: [.deadLettered, .expired]))
    outbox.deliver()
    try await outbox.waitUntilEmpty()
    let sent = harness.server.requests
    let expected = rows.enumerated().filter { ![.delivered, .dropped].contains($0.element.state) }
    #expect(sent.map(\.path).sorted() == expected.map { "/\($0.offset + 1)" }.sorted())
    for (index, row) in expected {
      let request = try #require(sent.first { $0.path == "/\(index + 1)" })
      #expect(request.fields["Idempotency-Key"] == "\"key \(index + 1)\"")
      #expect(request.body.firstRange(of: Data("\r\n\r\n\(row.text)\r\n".utf8)) != nil)
      if row.hasFile { #expect(request.body.firstRange(of: Data.seeded(100_000)) != nil) }
    }
    let order = sent.map(\.path)
    let places = ["/2", "/3", "/7", "/8"].compactMap { order.firstIndex(of: $0) }
    #expect(places.count == 4 && places[0] < places[1] && places[2] < places[3])
    let states = try await outbox.list().map(\.state)
    #expect(states.count == count && states.filter { $0 == .delivered }.count == count - 1)
    #expect(states[11] == .dropped)
    await outbox.close()
  }
}
