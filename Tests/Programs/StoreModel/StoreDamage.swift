import ErrandCore
import ErrandTesting
import Foundation

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// Damages the file of a store. SQLite notices missing pages and a broken page structure, but not a flipped
/// bit inside a value. The store has its own checksum for contents; in other columns a flipped bit (in a
/// priority, in a letter of a reason) cannot be noticed.
struct StoreDamage {
  private static let count = 150
  private static let pageSize = 2048

  /// The file of a closed store with rows in several states.
  private let original: Data

  init() async throws {
    let folder = ModelFolder()
    let store = try await folder.open()
    for number in 0..<Self.count {
      try await Self.add(
        "\(number)", number % 3 == 0 ? "lane \(number % 7)" : nil, Self.content(number), store)
    }
    for claimed in try await store.claim(40, for: .seconds(60)).rows {
      let outcomes: [FinishedAttempt.Outcome] = [
        .delivered(response: Data(count: 50)), .rejected(reason: "no", response: nil),
        .failed(reason: "later", next: .seconds(5), counts: true, wasOffline: true),
      ]
      let outcome = outcomes[Int(claimed.row.sequence) % 3]
      _ = try await store.finish([FinishedAttempt(lease: claimed.lease, outcome: outcome)])
    }
    await store.close()
    original = try Data(contentsOf: folder.database)
  }

  private static func content(_ number: Int) -> Data {
    // Some contents are so long that they occupy separate pages.
    Data(repeating: UInt8(number), count: number % 10 == 0 ? 9000 : 200)
  }

  private static func add(
    _ id: String, _ lane: String?, _ content: Data, _ store: SQLiteOutboxStore
  ) async throws {
    let row = NewRow(
      id: OutboxID(rawValue: id), lane: lane, holdsLane: false, priority: 0, expiry: nil,
      summary: Data("summary".utf8), content: content, files: [], size: 20)
    _ = try await store.add([row], within: OutboxCaps())
  }

  // MARK: Kinds of damage

  /// Truncates the file, which must be noticed or harmless.
  func cut() async throws -> [String] {
    var complaints: [String] = []
    var random = SeededRandom(seed: 7)
    let pages = stride(from: 0, to: original.count, by: Self.pageSize)
    let lengths =
      [2, 10, 99, 100, 101, 512, 1000] + pages.filter { $0 > 0 }
      + (0..<30).map { _ in Int.random(in: 2..<original.count, using: &random) }
    for length in lengths {
      let finding = try await use(original.prefix(length))
      if !finding.isDamaged && finding.deadLettered.isEmpty {
        complaints.append("truncated to \(length) of \(original.count), and no error is reported")
      }
      complaints += finding.complaints("truncated to \(length)")
    }
    let whole = try await use(original)
    if whole.isDamaged || whole.names.count != Self.count || whole.contents.count <= 100 {
      complaints.append("the whole file has \(whole.names.count) rows and \(whole.contents.count) contents")
    }
    return complaints
  }

  /// Flips a bit, which must be noticed or harm no content, and must not crash the process.
  func flip(_ seed: UInt64) async throws -> [String] {
    var random = SeededRandom(seed: seed)
    var complaints: [String] = []
    for _ in 0..<40 {
      var damaged = original
      // The structure of a page is hit more often than by chance.
      let page = Int.random(in: 0..<original.count / Self.pageSize, using: &random) * Self.pageSize
      let inPage = Bool.random(using: &random) ? 0..<120 : 0..<Self.pageSize
      let place = page + Int.random(in: inPage, using: &random)
      damaged[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
      complaints += try await use(damaged).complaints("a bit of byte \(place)", renamed: 1)
    }
    return complaints
  }

  /// Fills pages with noise, which must be noticed or harm no content, and must not crash the process.
  func scribble(_ seed: UInt64) async throws -> [String] {
    var random = SeededRandom(seed: seed &+ 1_000_000)
    var complaints: [String] = []
    for _ in 0..<10 {
      var damaged = original
      let page = Int.random(in: 0..<original.count / Self.pageSize, using: &random) * Self.pageSize
      for place in page..<page + Self.pageSize { damaged[place] = UInt8.random(in: 0...255, using: &random) }
      complaints += try await use(damaged).complaints("page \(page / Self.pageSize)")
    }
    return complaints
  }

  // MARK: Results

  private struct Finding {
    var names: [String] = []
    var contents: [String: Data] = [:]
    var deadLettered: Set<String> = []
    var isDamaged = false
    var complaints: [String] = []

    /// - Parameter renamed: The number of rows whose ID may have changed unnoticed; their contents must still
    ///   be the stored ones.
    func complaints(_ what: String, renamed: Int = 0) -> [String] {
      let others = contents.filter { name, found in
        name != "new" && Int(name).map(StoreDamage.content) != found
      }
      var complaints = complaints.map { "\(what): \($0)" }
      if others.count > renamed { complaints.append("\(what): \(others.keys.sorted())") }
      for (name, found) in others where found.first.map({ StoreDamage.content(Int($0)) }) != found {
        complaints.append("\(what): the content of \(name)")
      }
      return complaints
    }
  }

  /// Opens a file with these bytes and calls every operation of the store.
  private func use(_ bytes: Data) async throws -> Finding {
    let folder = ModelFolder()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    try bytes.write(to: folder.database)
    var finding = Finding()
    let store: SQLiteOutboxStore
    do {
      store = try await folder.open()
    } catch let error as OutboxError where error.code == .damaged {
      finding.isDamaged = true
      if try Data(contentsOf: folder.database) != bytes {
        finding.complaints.append("the file was written to")
      }
      return finding
    }
    func attempt(_ body: () async throws -> Void) async throws {
      do {
        try await body()
      } catch let error as OutboxError where error.code == .damaged {
        finding.isDamaged = true
      }
    }
    folder.time.withLock { time in
      time.ticks += 60_000
      time.wall += 60_000
    }
    try await attempt {
      finding.names = try await store.list(.all, after: 0, limit: .max).map(\.id.rawValue)
    }
    try await attempt { _ = try await store.statistics() }
    for _ in 0..<Self.count {
      var isDone = true
      try await attempt {
        let claim = try await store.claim(100, for: .seconds(60))
        for claimed in claim.rows { finding.contents[claimed.row.id.rawValue] = claimed.content }
        finding.deadLettered.formUnion(claim.deadLettered.map(\.id.rawValue))
        let attempts = claim.rows.map {
          FinishedAttempt(lease: $0.lease, outcome: .delivered(response: Data()))
        }
        _ = try await store.finish(attempts)
        isDone = claim.rows.isEmpty && claim.deadLettered.isEmpty
      }
      if isDone { break }
    }
    try await attempt { try await Self.add("new", "lane 1", Data(repeating: 3, count: 20), store) }
    try await attempt { _ = try await store.retry(.all) }
    try await attempt {
      _ = try await store.list(OutboxSelection(states: [.deadLettered]), after: 0, limit: 10)
    }
    try await attempt { _ = try await store.drop(.all, reason: "") }
    try await attempt { _ = try await store.prune(olderThan: .zero) }
    await store.close()
    return finding
  }
}
