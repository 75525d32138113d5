import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Lists the workers of a database that machines share, and migrates its tables.
struct FleetCommand {
  let console: Console
  let isJSON: Bool

  /// Lists the workers.
  func workers(_ place: OutboxPlace) async throws -> ExitCode {
    let workers = try await place.database(for: "workers").workers()
    if isJSON {
      try console.show(JSONWorkers(store: place.name, workers: workers))
    } else if workers.isEmpty {
      console.say("No process delivers from \(place.name).")
    } else {
      for line in WorkerTable(now: Date()).lines(workers) {
        try console.output.write(ControlEscaper.line(line) + "\n")
      }
    }
    return .success
  }

  /// Creates or migrates the tables, or prints the steps that this would take.
  func migrate(_ place: OutboxPlace, isDryRun: Bool) async throws -> ExitCode {
    let steps = try await place.database(for: "migrate").migrate(isDryRun: isDryRun)
    if isJSON {
      try console.show(JSONMigration(store: place.name, steps: steps, isDone: !isDryRun))
    } else if steps.isEmpty {
      console.say("The tables in \(place.name) are up to date.")
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
  /// Its machine and process, or the name that it was given.
  var name: String
  /// False if its heartbeat is missing. Then other workers take over its requests.
  var isAlive: Bool
  var started: Date
  /// The seconds since its last heartbeat.
  var silence: Double
  /// The number of requests that it has claimed.
  var requests: Int
  /// The number of lanes of these requests.
  var lanes: Int
  /// The date at which the oldest of them was claimed; nil without claimed requests.
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
    // A worker that counts as gone may never have sent a heartbeat.
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
    return TextTable.lines([titles] + workers.map(cells))
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
  /// False for a dry run.
  let isDone: Bool
}
