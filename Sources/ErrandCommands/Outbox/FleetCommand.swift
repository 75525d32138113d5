import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Looks after a database that machines share: its workers, and its tables.
struct FleetCommand {
  let console: Console
  let isJSON: Bool

  /// Lists the workers.
  func workers(_ place: OutboxPlace) async throws -> ExitCode {
    let workers = try await place.database(for: "workers").workers()
    if isJSON {
      try console.show(JSONWorkers(store: place.name, workers: workers))
    } else if workers.isEmpty {
      console.say("Nothing delivers from \(place.name).")
    } else {
      for line in WorkerTable(now: Date()).lines(workers) {
        try console.output.write(ControlEscaper.line(line) + "\n")
      }
    }
    return .success
  }

  /// Makes or renews the tables, or says what that would do.
  func migrate(_ place: OutboxPlace, isDryRun: Bool) async throws -> ExitCode {
    let steps = try await place.database(for: "migrate").migrate(isDryRun: isDryRun)
    if isJSON {
      try console.show(JSONMigration(store: place.name, steps: steps, isDone: !isDryRun))
    } else if steps.isEmpty {
      console.say("There is nothing to migrate in \(place.name).")
    } else {
      for step in steps {
        try console.output.write(ControlEscaper.line((isDryRun ? "to do: " : "done: ") + step) + "\n")
      }
    }
    return .success
  }
}

/// A process that delivers from a shared database, as the tool shows it.
struct WorkerRecord: Sendable, Hashable, Encodable {
  /// The number of the worker in its database.
  var id: Int
  /// Its machine and process, or what it calls itself.
  var name: String
  /// False if its heartbeat is missing: others take what it held.
  var isAlive: Bool
  var started: Date
  /// The seconds since its last heartbeat.
  var silence: Double
  /// The number of requests that it has claimed.
  var requests: Int
  /// The number of lanes of these.
  var lanes: Int
  /// When the oldest of them was claimed; nil for none.
  var oldestClaim: Date?

  private enum Key: String, CodingKey {
    case id, name, isAlive, started, silence, requests, lanes, oldestClaim
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
    try container.encode(isAlive, forKey: .isAlive)
    try container.encode(JSONText.date(started), forKey: .started)
    // A worker that others believe to be gone may have none.
    try container.encodeIfPresent(silence < 1e9 ? silence : nil, forKey: .silence)
    try container.encode(requests, forKey: .requests)
    try container.encode(lanes, forKey: .lanes)
    try container.encodeIfPresent(oldestClaim.map(JSONText.date), forKey: .oldestClaim)
  }
}

/// Formats workers as a table. Pure: the time is passed in.
struct WorkerTable: Sendable {
  let now: Date

  func lines(_ workers: [WorkerRecord]) -> [String] {
    let titles = ["ID", "NAME", "STATE", "UP", "HEARTBEAT", "REQUESTS", "LANES", "OLDEST"]
    let rows = [titles] + workers.map(cells)
    let widths = titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return (padded.dropLast() + row.suffix(1)).joined(separator: "  ")
    }
  }

  private func cells(_ worker: WorkerRecord) -> [String] {
    [
      "\(worker.id)", worker.name, worker.isAlive ? "alive" : "gone",
      SpanText.length(now.timeIntervalSince(worker.started)), "\(SpanText.length(worker.silence)) ago",
      "\(worker.requests)", "\(worker.lanes)",
      worker.oldestClaim.map { SpanText.since($0, at: now) } ?? "-",
    ]
  }
}

/// The JSON for the workers of a database.
private struct JSONWorkers: Encodable {
  let store: String
  let workers: [WorkerRecord]
}

/// The JSON for a migration.
private struct JSONMigration: Encodable {
  let store: String
  let steps: [String]
  /// False if it was only asked what would be done.
  let isDone: Bool
}
