import CrashCourse
import ErrandTesting
import Foundation
import PostgresCluster

/// Kills processes with an outbox, and counts the lost requests: `crash [postgres] [kills] [seed]`. With
/// `postgres` the outbox is in a database.
@main struct Crash {
  static func main() async throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let isOnPostgres = arguments.first == "postgres"
    if isOnPostgres { arguments.removeFirst() }
    let words = arguments.map { UInt64($0) }
    guard words.count <= 2, words.allSatisfy({ $0 != nil }) else {
      print("crash [postgres] [kills] [seed]")
      exit(2)
    }
    let kills = words.first.flatMap { $0 }.map(Int.init(clamping:)) ?? 1000
    let seed = words.count > 1 ? words[1] ?? 0 : UInt64.random(in: 1...1_000_000)
    let folder = FileManager.default.temporaryDirectory.appending(path: "errand-crash-\(UUID().uuidString)")
    let cluster = isOnPostgres ? try await PostgresCluster(isDurable: true) : nil
    var course = CrashCourse(kills: kills, seed: seed, in: folder, database: cluster?.url()) { print($0) }
    let report = try await course.run()
    print(report)
    guard report.isGood, report.killCount >= kills, report.accepted > kills else {
      print("✗ crash: \(report.summary); what the workers left is in \(folder.path)")
      exit(1)
    }
    try FileManager.default.removeItem(at: folder)
    if let cluster { try await cluster.stop(.immediate) }
    print("✓ crash\(isOnPostgres ? " on PostgreSQL" : ""): \(report.summary)")
  }
}
