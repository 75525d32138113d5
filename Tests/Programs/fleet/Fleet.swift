import ErrandCore
import ErrandCurl
import ErrandOutbox
import FleetCourse
import Foundation
import PostgresCluster

#if Postgres
  import ErrandOutboxPostgres
#endif

/// Lets workers deliver from one PostgreSQL while all kinds of faults happen, and counts the lost requests:
/// `fleet [rows] [seed]`. With few rows the course is short.
@main struct Fleet {
  /// From this number of rows on, the load itself lasts long enough for every fault.
  private static let many = 20_000

  static func main() async throws {
    let words = CommandLine.arguments.dropFirst().map { UInt64($0) }
    guard words.count <= 2, words.allSatisfy({ $0 != nil }) else {
      print("fleet [rows] [seed]")
      exit(2)
    }
    var settings = FleetCourse.Settings()
    if let rows = words.first.flatMap({ $0 }) { settings.rows = max(40, Int(clamping: rows) / 4 * 4) }
    settings.seed = words.count > 1 ? words[1] ?? 0 : UInt64.random(in: 1...1_000_000)
    if settings.rows < many {
      settings.rounds = 1
      settings.rollingRows = 1000
      settings.pace = .milliseconds(60)
      settings.lease = .seconds(2)
      settings.absence = .seconds(1)
      settings.setsClock = false
      settings.patience = .seconds(120)
    } else {
      // Some are left for the last faults; writers wait while PostgreSQL is unavailable.
      settings.pace = .seconds(15) * settings.rounds / (settings.rows / 80)
    }
    if settings.setsClock, !PostgresCluster.canSetClock {
      say("The clock is not set: libfaketime is missing. Run scripts/install test.")
      settings.setsClock = false
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "errand-fleet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let cluster = try await PostgresCluster(isDurable: true, hasOwnClock: settings.setsClock)
    let course = FleetCourse(settings, on: cluster, in: folder) {
      say($0)
    } open: {
      try await open($0)
    }
    let report = try await course.run()
    say("\(report)")
    guard report.isGood else {
      say("✗ fleet: \(report.summary); what the workers said is in \(folder.path)")
      exit(1)
    }
    try FileManager.default.removeItem(at: folder)
    say("✓ fleet: \(report.summary)")
  }

  /// Prints a line at once, and also writes it to a file.
  private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// Opens an outbox that only stores.
  private static func open(_ url: String) async throws -> Outbox {
    #if Postgres
      var configuration = OutboxConfiguration()
      configuration.delivers = false
      configuration.caps.bytes = nil
      configuration.reachability = nil
      return try await Outbox(
        store: PostgresOutboxStore(url), client: Client(transport: CurlTransport()),
        configuration: configuration)
    #else
      throw OutboxError(.failed, "built without PostgreSQL: swift build --traits Postgres --product fleet")
    #endif
  }
}
