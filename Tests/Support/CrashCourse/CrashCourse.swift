import ErrandOutbox
import ErrandTesting
package import Foundation

/// Kills workers that share an outbox, starts new ones, lets the last ones finish, and checks the requests
/// that a server received.
package struct CrashCourse {
  /// The number of kills before everything must be delivered and a new outbox is created.
  private static let killsPerOutbox = 25

  private let kills: Int
  private let folder: URL
  private let database: String?
  private let progress: (String) -> Void
  private var random: SeededRandom
  private var report: CrashReport
  private var places: [Failpoint] = []
  private var firstPlaces: [Failpoint] = []

  /// - Parameters:
  ///   - kills: The number of workers to kill.
  ///   - folder: The folder for the outboxes. A failed course leaves its outbox there.
  ///   - database: The URL of a PostgreSQL database for the outboxes, which is used instead of the
  ///     folder.
  package init(
    kills: Int, seed: UInt64, in folder: URL, database: String? = nil,
    progress: @escaping (String) -> Void = { _ in }
  ) {
    self.database = database
    self.kills = kills
    self.folder = folder
    self.progress = progress
    random = SeededRandom(seed: seed)
    report = CrashReport(seed: seed)
  }

  package mutating func run() async throws -> CrashReport {
    var number = 0
    while report.killCount < kills {
      number += 1
      let place = folder.appending(path: "outbox \(number)", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let before = report.violations.count
      try await fill(place, until: min(kills, report.killCount + Self.killsPerOutbox))
      if report.violations.count == before && report.lost == 0 {
        try FileManager.default.removeItem(at: place)
      }
      progress("killed \(report.killCount), accepted \(report.accepted), lost \(report.lost)")
      if !report.isGood { break }
    }
    return report
  }

  /// Runs one outbox, from its first worker to its last.
  private mutating func fill(_ place: URL, until most: Int) async throws {
    let server = try MockServer()
    let testServer = TestServer(server, seed: random.next())
    var stay = CrashRun(
      place: place, url: server.url.absoluteString, server: testServer, seals: Bool.random(using: &random),
      database: database)
    while report.killCount < most {
      // Every third time two workers run at once.
      let count = Int.random(in: 0..<3, using: &random) == 0 && report.killCount + 1 < most ? 2 : 1
      var workers: [(WorkerProcess, Duration?)] = []
      for _ in 0..<count {
        let (end, delay) = stay.isNew ? (firstEnd(), nil) : nextEnd()
        workers.append((try stay.start(end, requests: Int.random(in: 4...10, using: &random)), delay))
      }
      for (worker, delay) in workers {
        if let delay {
          // The delay makes the instant of the kill random.
          try await Task.sleep(for: delay)
          worker.kill()
        }
      }
      for (worker, _) in workers { await note(worker, await worker.wait(), &stay) }
    }
    try await finish(&stay)
  }

  /// Returns a failpoint that only the first worker of an outbox passes.
  private mutating func firstEnd() -> WorkerOrders.End {
    // These are SQLite's failpoints.
    if database != nil { return .anyPlace(Int.random(in: 1...20, using: &random)) }
    if firstPlaces.isEmpty {
      firstPlaces = [.beforeMigration, .duringMigration, .afterMigration, .afterFolderFlush]
        .shuffled(using: &random)
    }
    return .place(firstPlaces.removeLast(), 1)
  }

  /// Returns in rotation: each failpoint by name, any failpoint, any change of a file, and a random instant.
  private mutating func nextEnd() -> (WorkerOrders.End, Duration?) {
    // Only an outbox in a folder changes files.
    switch Int.random(in: 0..<(database == nil ? 7 : 5), using: &random) {
    case 5, 6: return (.change(Int.random(in: 1...400, using: &random)), nil)
    case 0: return (.done, .milliseconds(Int.random(in: 20...250, using: &random)))
    case 1: return (.anyPlace(Int.random(in: 1...250, using: &random)), nil)
    default:
      if places.isEmpty {
        places = (database == nil ? Failpoint.allCases : Self.placesOnPostgres).shuffled(using: &random)
      }
      let count = Int.random(in: 0..<2, using: &random) == 0 ? 1 : Int.random(in: 2...12, using: &random)
      return (.place(places.removeLast(), count), nil)
    }
  }

  /// The failpoints that a worker with an outbox in a database passes.
  private static let placesOnPostgres: [Failpoint] = [
    .beforeOperation, .afterOperation, .beforeCommit, .afterCommit, .afterResponse, .beforeSend,
    .beforeRecord, .afterRecord,
  ]

  private mutating func note(_ worker: WorkerProcess, _ end: WorkerProcess.End, _ stay: inout CrashRun) async
  {
    let said = worker.said
    stay.read(said)
    switch end {
    case .killed:
      let last = said.last { $0.first == "ends" }?.last
      report.kills[last ?? "a random instant", default: 0] += 1
    case .exited(0): report.survivors += 1
    case .exited(let code): report.violations.append("a worker ended with \(code): \(lastWords(said))")
    case .stuck: report.violations.append("a worker did not reach its end after: \(lastWords(said))")
    }
  }

  private func lastWords(_ said: [[String]]) -> String { said.last?.joined(separator: " ") ?? "nothing" }

  /// Lets a last worker deliver everything, and compares the results.
  private mutating func finish(_ stay: inout CrashRun) async throws {
    let worker = try stay.start(.done, requests: 0, isTalkative: true)
    let end = await worker.wait()
    stay.read(worker.said)
    if end != .exited(0) {
      let last = lastWords(worker.said.filter { $0.first != "place" })
      report.violations.append("the last worker ended with \(end): \(last)")
    }
    stay.settle(into: &report)
  }
}
