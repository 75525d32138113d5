import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

/// What SQLite can notice: that pages are missing, and that what holds a page together makes no sense. What it cannot: a bit
/// that was flipped inside a value. Contents have a checksum of the store's own for that; of the other columns a flipped
/// bit may change one (a priority, a letter of a reason), and nobody can tell.
@Suite(.computesLong, .serialized) struct DamagedStoreTests {
  private static let count = 150
  private static let pageSize = 2048

  private func content(_ number: Int) -> Data {
    // Some so long that they fill pages of their own.
    Data(repeating: UInt8(number), count: number % 10 == 0 ? 9000 : 200)
  }

  /// A file with rows in several states, closed in good order.
  private func original() async throws -> Data {
    let folder = StoreTestFolder(isOnDisk: false)
    let store = try await folder.open { $0.runsInCaller = true }
    for number in 0..<Self.count {
      var row = NewRow.sample("\(number)", lane: number % 3 == 0 ? "lane \(number % 7)" : nil)
      row.content = content(number)
      try await store.add(row)
    }
    for claimed in try await store.claim(40, for: .seconds(60), at: .sample).rows {
      let outcomes: [FinishedTry.Outcome] = [
        .delivered(answer: Data(count: 50)), .refused(reason: "no", answer: nil),
        .failed(reason: "later", next: .seconds(5), counts: true, wasOffline: true),
      ]
      let outcome = outcomes[Int(claimed.row.sequence) % 3]
      _ = try await store.finish([FinishedTry(lease: claimed.lease, outcome: outcome)], at: .sample)
    }
    await store.close()
    return try Data(contentsOf: folder.database)
  }

  private struct Finding {
    var names: [String] = []
    var contents: [String: Data] = [:]
    var setAside: Set<String> = []
    var isDamaged = false
  }

  /// Opens a file with these bytes and uses it in every way.
  private func use(_ bytes: Data) async throws -> Finding {
    let folder = StoreTestFolder(isOnDisk: false)
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    try bytes.write(to: folder.database)
    var finding = Finding()
    let store: SQLiteOutboxStore
    do {
      store = try await folder.open { $0.runsInCaller = true }
    } catch let error as OutboxError where error.code == .damaged {
      finding.isDamaged = true
      #expect(try Data(contentsOf: folder.database) == bytes)
      return finding
    }
    func attempt(_ body: () async throws -> Void) async throws {
      do {
        try await body()
      } catch let error as OutboxError where error.code == .damaged {
        finding.isDamaged = true
      }
    }
    var later = StoreTime.sample
    later.ticks += 60_000
    later.wall += 60_000
    try await attempt { finding.names = try await store.names() }
    try await attempt { _ = try await store.statistics() }
    for _ in 0..<Self.count {
      var isDone = true
      try await attempt {
        let claim = try await store.claim(100, for: .seconds(60), at: later)
        for claimed in claim.rows { finding.contents[claimed.row.id.rawValue] = claimed.content }
        finding.setAside.formUnion(claim.setAside.map(\.id.rawValue))
        let tries = claim.rows.map { FinishedTry(lease: $0.lease, outcome: .delivered(answer: Data())) }
        _ = try await store.finish(tries, at: later)
        isDone = claim.rows.isEmpty && claim.setAside.isEmpty
      }
      if isDone { break }
    }
    try await attempt { try await store.add(.sample("new", lane: "lane 1")) }
    try await attempt { _ = try await store.retry(.all, at: later) }
    try await attempt { _ = try await store.list(OutboxSelection(states: [.setAside]), after: 0, limit: 10) }
    try await attempt { _ = try await store.drop(.all, reason: "", at: later) }
    try await attempt { _ = try await store.prune(changedBefore: later.wall) }
    await store.close()
    return finding
  }

  /// - Parameter renamed: So many rows may have another name, which nobody can tell; but what they consist of is what was
  ///   stored.
  private func checkContents(_ finding: Finding, _ what: String, renamed: Int = 0) {
    let others = finding.contents.filter { name, found in
      name != "new" && Int(name).map(content) != found
    }
    #expect(others.count <= renamed, "\(what): \(others.keys)")
    for (name, found) in others {
      #expect(found.first.map { content(Int($0)) } == found, "\(what): the content of \(name)")
    }
  }

  @Test func `a file that was cut off is damaged, or has everything`() async throws {
    let bytes = try await original()
    var random = SeededRandom(seed: 7)
    let pages = stride(from: 0, to: bytes.count, by: Self.pageSize)
    let lengths =
      [2, 10, 99, 100, 101, 512, 1000] + pages.filter { $0 > 0 }
      + (0..<30).map { _ in Int.random(in: 2..<bytes.count, using: &random) }
    for length in lengths {
      let finding = try await use(bytes.prefix(length))
      #expect(finding.isDamaged || !finding.setAside.isEmpty, "cut off at \(length) of \(bytes.count)")
      checkContents(finding, "cut off at \(length)")
    }
    let whole = try await use(bytes)
    #expect(!whole.isDamaged)
    #expect(whole.names.count == Self.count)
    #expect(whole.contents.count > 100)
  }

  @Test("a flipped bit is noticed or harms no content, and never ends the process", arguments: UInt64(0)...7)
  func flipped(_ seed: UInt64) async throws {
    let bytes = try await original()
    var random = SeededRandom(seed: seed)
    for _ in 0..<40 {
      var damaged = bytes
      // Where pages say how they are made up, more often than by chance.
      let page = Int.random(in: 0..<bytes.count / Self.pageSize, using: &random) * Self.pageSize
      let inPage = Bool.random(using: &random) ? 0..<120 : 0..<Self.pageSize
      let place = page + Int.random(in: inPage, using: &random)
      damaged[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
      checkContents(try await use(damaged), "a bit of byte \(place)", renamed: 1)
    }
  }

  @Test("pages of noise are noticed or harm no content, and never end the process", arguments: UInt64(0)...3)
  func noise(_ seed: UInt64) async throws {
    let bytes = try await original()
    var random = SeededRandom(seed: seed)
    for _ in 0..<20 {
      var damaged = bytes
      let page = Int.random(in: 0..<bytes.count / Self.pageSize, using: &random) * Self.pageSize
      for place in page..<page + Self.pageSize { damaged[place] = UInt8.random(in: 0...255, using: &random) }
      checkContents(try await use(damaged), "page \(page / Self.pageSize)")
    }
  }

  @Test(arguments: ["requests", "contents"])
  func `a content that was damaged is set aside with a reason, and its lane goes on`(
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
    let claim = try await again.claim(10, for: .seconds(1), at: .sample)
    #expect(claim.rows.isEmpty)
    #expect(claim.setAside.map(\.id.rawValue) == ["one"])
    #expect(claim.setAside.first?.state == .setAside)
    #expect(claim.setAside.first?.reason?.contains("damaged") == true)
    #expect(claim.next == .zero)
    let next = try await again.claim(10, for: .seconds(1), at: .sample)
    #expect(next.rows.map(\.row.id.rawValue) == ["three"])
    await #expect(throws: OutboxError.self) { try await again.contents(of: [OutboxID(rawValue: "one")]) }
    await again.close()
  }
}
