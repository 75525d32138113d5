import BenchmarkSupport
import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxSQLite
import Foundation

/// Measures storing requests from one caller and from many at once, compared with plain SQLite on the same disk.
struct Storing {
  private static let bodyBytes = 200
  private static let crowd = 64

  let rows: Int
  let rounds: Int
  let place: Place

  func report() async throws {
    var plain: [Double] = []
    var queued: [Double] = []
    var one: [Double] = []
    var many: [Double] = []
    for _ in 0..<rounds {
      plain.append(try await plainRate { for _ in 0..<rows { try $0.commit() } })
      queued.append(try await plainRate { for _ in 0..<rows { try await $0.queuedCommit() } })
      one.append(try await rate(callers: 1, rows: rows))
      many.append(try await rate(callers: Self.crowd, rows: rows * 8))
    }
    print("durable, \(Self.bodyBytes)-byte bodies, median of \(rounds) rounds")
    func line(_ name: String, _ rates: [Double], _ ratio: String) {
      print("  \(name.left(34))\(Statistics.median(rates).fixed(0).right(9)) /s  \(ratio)")
    }
    line("SQLite, one row per commit", plain, "")
    line(
      "the same on a queue, awaited", queued,
      "\(Statistics.medianRatio(queued, plain).fixed(2)) of SQLite: the price of not blocking a caller's thread"
    )
    line(
      "enqueue, 1 caller", one,
      "\(Statistics.medianRatio(one, plain).fixed(2)) of SQLite (at least 0.8), "
        + "\(Statistics.medianRatio(one, queued).fixed(2)) of SQLite on a queue")
    line(
      "enqueue, \(Self.crowd) callers", many,
      "\(Statistics.medianRatio(many, one).fixed(1)) times one caller (at least 6, aim 10)")
  }

  private func plainRate(_ commits: (PlainDatabase) async throws -> Void) async throws -> Double {
    try await place.withFolder { folder in
      let database = try PlainDatabase(folder.appending(path: "plain.sqlite").path, bytes: Self.bodyBytes)
      let begin = ContinuousClock.now
      try await commits(database)
      return Double(rows) / (ContinuousClock.now - begin).inSeconds
    }
  }

  private func rate(callers: Int, rows: Int) async throws -> Double {
    try await place.withFolder { folder in
      var configuration = OutboxConfiguration()
      configuration.delivers = false
      let outbox = try await Outbox(
        at: folder, client: Client(transport: CurlTransport()), configuration: configuration)
      let request = Request.post(
        "http://127.0.0.1:9/", .bytes(Data(repeating: 120, count: Self.bodyBytes)))
      let begin = ContinuousClock.now
      try await withThrowingTaskGroup { group in
        for _ in 0..<callers {
          group.addTask { for _ in 0..<(rows / callers) { try await outbox.enqueue(request) } }
        }
        try await group.waitForAll()
      }
      let seconds = (ContinuousClock.now - begin).inSeconds
      await outbox.close()
      return Double(rows / callers * callers) / seconds
    }
  }
}
