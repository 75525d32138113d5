import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite struct StoreFileTests {
  private let folder = StoreTestFolder()

  private func refusal(_ code: OutboxError.Code) async throws -> OutboxError {
    let error = try #require(await #expect(throws: OutboxError.self) { _ = try await folder.open() })
    #expect(error.code == code)
    #expect(error.description.contains(folder.url.path))
    return error
  }

  private func bytes(_ suffix: String = "") throws -> Data {
    try Data(contentsOf: URL(filePath: folder.database.path + suffix))
  }

  private func permissions(_ url: URL) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int)
  }

  @Test func `only this user can access the folder and all files`() async throws {
    let store = try await folder.open()
    store.onForeignChange {}
    try await store.add(.sample("a"))
    // Reads run after writes, so the pipe may not exist before this read.
    #expect(try await store.statistics().counts[.stored] == 1)
    #expect(try permissions(folder.url) == 0o700)
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    #expect(names.contains("outbox.sqlite-wal"))
    #expect(names.count == 7)
    for name in names {
      let isFolder = name == "owners"
      #expect(try permissions(folder.url.appending(path: name)) == (isFolder ? 0o700 : 0o600), "\(name)")
    }
    await store.close()
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    #expect(left.sorted() == ["outbox.sqlite", "owners"])
  }

  @Test(arguments: [false, true])
  func `a file of a newer version is refused and not changed`(wasClosed: Bool) async throws {
    let store = try await folder.open()
    try await store.add(.sample("a"))
    if wasClosed { await store.close() } else { await store.abandon() }
    let other = try folder.connect()
    other.leaveAsItIs()
    try other.execute("PRAGMA user_version = 99")
    other.close()
    let (file, log) = (try bytes(), try bytes("-wal"))
    let error = try await refusal(.tooNew)
    #expect(error.description.contains("99"))
    #expect(try bytes() == file)
    #expect(try bytes("-wal") == log)
  }

  @Test func `a file that a newer process migrates while it is open is no longer read or written`()
    async throws
  {
    let store = try await folder.open()
    try await store.add(.sample("a"))
    let other = try folder.connect()
    try other.execute("PRAGMA user_version = 99")
    other.close()
    for _ in 0..<2 {
      var error = await #expect(throws: OutboxError.self) { try await store.add(.sample("b")) }
      #expect(error?.code == .tooNew)
      error = await #expect(throws: OutboxError.self) { _ = try await store.names() }
      #expect(error?.code == .tooNew)
    }
    await store.close()
    let again = try folder.connect()
    #expect(try again.all(sql: "SELECT id FROM requests") { $0.text(0) } == ["a"])
    again.close()
  }

  @Test(arguments: [false, true])
  func `a folder that is removed or moved while it is open accepts no more requests`(isMoved: Bool)
    async throws
  {
    let store = try await folder.open()
    try await store.add(.sample("a"))
    let elsewhere = URL(filePath: folder.url.path + "-moved")
    defer { try? FileManager.default.removeItem(at: elsewhere) }
    try FileManager.default.moveItem(at: folder.url, to: elsewhere)
    if !isMoved { try FileManager.default.removeItem(at: elsewhere) }
    for _ in 0..<2 {
      let error = await #expect(throws: OutboxError.self) { try await store.add(.sample("b")) }
      #expect(error?.code == .notWritable)
      #expect(error?.description.contains(folder.database.path) == true)
    }
    // A new outbox at the same path is not the one that the store has opened.
    let other = try await folder.open()
    await #expect(throws: OutboxError.self) { try await store.add(.sample("c")) }
    try await other.add(.sample("d"))
    #expect(try await other.names() == ["d"])
    await store.close()
    #expect(try await other.names() == ["d"])
    await other.close()
  }

  @Test func `a disk that does not support a write-ahead log is refused`() async throws {
    try folder.make()
    let error = await #expect(throws: OutboxError.self) {
      _ = try await folder.open { $0.vfs = "unix-dotfile" }
    }
    #expect(error?.code == .notWritable)
    #expect(error?.description.contains("write-ahead log") == true)
  }

  @Test func `a very large number of rows is changed in several transactions`()
    async throws
  {
    let commits = Counter()
    let store = try await folder.open { $0.commits = commits }
    _ = try await store.add((0..<1200).map { .sample("\($0)") }, within: OutboxCaps())
    var before = commits.value
    #expect(try await store.retry(.all).count == 1200)
    #expect(commits.value - before == 3)
    before = commits.value
    let named = OutboxSelection(ids: (0..<1100).map { OutboxID(rawValue: "\($0)") })
    #expect(try await store.drop(named, reason: "").rows.count == 1100)
    #expect(commits.value - before == 3)
    await store.close()
  }

  @Test func `a time without a boot name is refused`() async throws {
    let store = try await folder.open()
    folder.time.withLock { $0.boot = "" }
    let error = await #expect(throws: OutboxError.self) { try await store.add(.sample("a")) }
    #expect(error?.code == .failed)
    folder.time.withLock { $0 = .sample }
    try await store.add(.sample("b"))
    #expect(try await store.names() == ["b"])
    await store.close()
  }

  @Test(arguments: [0, 1])
  func `a foreign database is refused and not changed`(version: Int) async throws {
    try folder.make()
    let other = try folder.connect()
    try other.execute("CREATE TABLE things(name TEXT); INSERT INTO things VALUES ('mine')")
    try other.execute("PRAGMA user_version = \(version)")
    other.close()
    let file = try bytes()
    _ = try await refusal(.damaged)
    #expect(try bytes() == file)
  }

  @Test func `a file that is not a database is refused and not changed`() async throws {
    try folder.make()
    let text = Data(String(repeating: "a letter to a friend\n", count: 500).utf8)
    try text.write(to: folder.database)
    let error = try await refusal(.damaged)
    #expect(error.description.contains(".recover"))
    #expect(try bytes() == text)
  }

  @Test(arguments: [0, 1])
  func `an outbox whose file was emptied is not created again`(length: Int) async throws {
    let store = try await folder.open()
    try await store.add(.sample("a"))
    await store.abandon()
    let log = try bytes("-wal")
    try Data(count: length).write(to: folder.database)
    _ = try await refusal(.damaged)
    #expect(try bytes("-wal") == log)
  }

  @Test func `an empty file that a crash left before the first table is opened as a new outbox`() async throws
  {
    try folder.make()
    try Data().write(to: folder.database)
    let store = try await folder.open()
    try await store.add(.sample("a"))
    #expect(try await store.names() == ["a"])
    await store.close()
  }

  @Test func `a folder that cannot be created is a notWritable error`() async throws {
    try Data("a file".utf8).write(to: folder.url)
    _ = try await refusal(.notWritable)
  }

  @Test func `stores that are opened concurrently on a new folder share one database`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let store = try await folder.open()
          try await store.add(.sample("\(number)"))
          await store.close()
        }
      }
      try await group.waitForAll()
    }
    let store = try await folder.open()
    #expect(try await Set(store.names()) == Set((0..<8).map { "\($0)" }))
    await store.close()
  }

  @Test func `a database that another connection locks for too long is reported as busy, and loses nothing`()
    async throws
  {
    let store = try await folder.open { $0.busyTimeout = .milliseconds(50) }
    try await store.add(.sample("a"))
    let other = try folder.connect()
    try other.execute("BEGIN EXCLUSIVE")
    let error = try #require(
      await #expect(throws: OutboxError.self) { try await store.add(.sample("b")) })
    #expect(error.code == .busy)
    #expect(try await store.names() == ["a"])
    try other.execute("ROLLBACK")
    other.close()
    try await store.add(.sample("c"))
    #expect(try await store.names() == ["a", "c"])
    await store.close()
  }

  @Test func `pruned requests return their space to the disk`() async throws {
    let store = try await folder.open()
    for number in 0..<40 { try await store.add(.sample("\(number)", size: 200_000)) }
    _ = try await store.drop(.all, reason: "")
    _ = try await store.prune(olderThan: .zero)
    await store.close()
    #expect(try bytes().count < 2_000_000)
  }

  @Test func `removed contents cannot be read from the file any more`() async throws {
    let secret = "what nobody shall find here again"
    let store = try await folder.open()
    for number in 0..<40 {
      var row = NewRow.sample("\(number)")
      if number % 2 == 0 { row.content = Data("\(secret) \(number)".utf8) }
      try await store.add(row)
    }
    func isFound(in bytes: Data) -> Bool { bytes.firstRange(of: Data(secret.utf8)) != nil }
    #expect(try isFound(in: bytes("-wal")))
    let gone = (0..<40).filter { $0 % 2 == 0 }.map { OutboxID(rawValue: "\($0)") }
    _ = try await store.drop(OutboxSelection(ids: gone), reason: "")
    _ = try await store.prune(olderThan: .zero)
    await store.close()
    #expect(try !isFound(in: bytes()))
    let again = try await folder.open()
    #expect(try await again.names().count == 20)
    await again.close()
  }

  @Test func `a delivered row leaves no content behind, short or long`() async throws {
    let store = try await folder.open()
    try await store.add(.sample("short"), .sample("long", size: 200_000))
    let claim = try await store.claim(10, for: .seconds(60))
    #expect(claim.rows.count == 2)
    _ = try await store.finish(
      claim.rows.map { FinishedAttempt(lease: $0.lease, outcome: .delivered(response: Data())) })
    await store.close()
    let file = try folder.connect()
    defer { file.close() }
    #expect(try file.all(sql: "SELECT count(*) FROM contents") { $0.integer(0) } == [0])
    #expect(
      try file.all(sql: "SELECT count(*) FROM requests WHERE content IS NOT NULL") { $0.integer(0) } == [0])
  }

  @Test func `a store that is released without being closed gives its claims back`() async throws {
    var store: SQLiteOutboxStore? = try await folder.open()
    try await store?.add(.sample("a"))
    #expect(try await store?.claim(1, for: .seconds(1000)).rows.count == 1)
    store = nil
    let other = try await folder.open()
    let (heard, hear) = AsyncStream.makeStream(of: Void.self)
    other.onForeignChange { hear.yield() }
    var iterator = heard.makeAsyncIterator()
    while try await other.rows([OutboxID(rawValue: "a")])[0]?.state == .attempting { await iterator.next() }
    #expect(try await other.claim(1, for: .seconds(1)).rows.map(\.row.attempts) == [1])
    await other.close()
  }
}
