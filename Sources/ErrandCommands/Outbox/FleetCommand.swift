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
  var id: String
  /// The machine and the process, if the worker told.
  var host: String?
  var process: Int?
  /// False if its heartbeat is missing: others take what it held.
  var isAlive: Bool
  var started: Date
  /// The last heartbeat.
  var seen: Date
  /// The number of requests that it has claimed.
  var requests: Int
  /// The number of lanes of these.
  var lanes: Int

  private enum Key: String, CodingKey {
    case id, host, process, isAlive, started, seen, requests, lanes
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
    try container.encodeIfPresent(host, forKey: .host)
    try container.encodeIfPresent(process, forKey: .process)
    try container.encode(isAlive, forKey: .isAlive)
    try container.encode(JSONText.date(started), forKey: .started)
    try container.encode(JSONText.date(seen), forKey: .seen)
    try container.encode(requests, forKey: .requests)
    try container.encode(lanes, forKey: .lanes)
  }
}

/// Formats workers as a table. Pure: the time is passed in.
struct WorkerTable: Sendable {
  let now: Date

  func lines(_ workers: [WorkerRecord]) -> [String] {
    let titles = ["WORKER", "HOST", "PROCESS", "STATE", "UP", "HEARTBEAT", "REQUESTS", "LANES"]
    let rows = [titles] + workers.map(cells)
    let widths = titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return (padded.dropLast() + row.suffix(1)).joined(separator: "  ")
    }
  }

  private func cells(_ worker: WorkerRecord) -> [String] {
    [
      worker.id, worker.host ?? "-", worker.process.map { "\($0)" } ?? "-",
      worker.isAlive ? "alive" : "gone", SpanText.length(now.timeIntervalSince(worker.started)),
      SpanText.since(worker.seen, at: now), "\(worker.requests)", "\(worker.lanes)",
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
