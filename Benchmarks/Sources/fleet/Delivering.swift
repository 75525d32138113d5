import BenchmarkSupport
import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxPostgres
import ErrandOutboxSQLite
import Foundation

/// Measures the delivery of stored requests by one process and by four, and from SQLite.
struct Delivering {
  let store: String
  let url: String
  let requests: Int
  let folder: String
  /// The rows per second that pgbench claims and finishes.
  let reference: Double
  /// The ID of PostgreSQL's first process.
  let postmaster: Int

  func report() async throws {
    let sqlite = try await sqliteRate()
    let one = try await rate(processes: 1)
    let four = try await rate(processes: 4)
    let aim = min(0.4 * reference, sqlite)
    func line(_ name: String, _ rate: Double, _ text: String) {
      print("  \(name.left(36))\(rate.fixed(0).right(9)) /s  \(text)")
    }
    line("pgbench, claim and finish of 100", reference, "")
    line("delivered from SQLite", sqlite, "")
    line(
      "delivered by 1 process", one.rate,
      "\((one.rate / reference).fixed(2)) of pgbench, \((one.rate / sqlite).fixed(2)) of SQLite "
        + "(at least \(aim.fixed(0)) /s: 0.4 of pgbench, or as many as SQLite); "
        + perRequest(one))
    line(
      "delivered by 4 processes", four.rate,
      "\((four.rate / one.rate).fixed(2)) times one (at least 1.0); " + perRequest(four))
  }

  private func perRequest(_ result: (rate: Double, cpu: Double, server: Double)) -> String {
    let (worker, server) = (result.cpu * 1e6 / Double(requests), result.server * 1e6 / Double(requests))
    return
      "a request takes \(worker.fixed(0)) µs of processor in workers and \(server.fixed(0)) µs in PostgreSQL"
  }

  private func fill(_ outbox: Outbox) async throws {
    let batch = Array(repeating: Storage.request(url), count: 500)
    for _ in 0..<(requests / batch.count) { try await outbox.enqueue(batch) }
  }

  private func rate(processes: Int) async throws -> (rate: Double, cpu: Double, server: Double) {
    let outbox = try await Storage.outbox(store)
    try await fill(outbox)
    await outbox.close()
    let outputs = (0..<processes).map { "\(folder)/worker-\($0)" }
    let before = try ServerUsage(of: postmaster)
    let begin = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for output in outputs {
        group.addTask {
          // Waiting for a child process blocks a thread.
          try await OwnThread.run {
            try Child.run([CommandLine.arguments[0], "--what", "worker", "--store", store], output: output)
          }
        }
      }
      try await group.waitForAll()
    }
    let seconds = (ContinuousClock.now - begin).inSeconds
    let cpu = try outputs.reduce(0.0) { sum, output in
      let text = try String(contentsOfFile: output, encoding: .utf8)
      return sum + (Double(text.split(separator: "\n").last ?? "") ?? 0)
    }
    return (Double(requests) / seconds, cpu, try ServerUsage(of: postmaster).cpu - before.cpu)
  }

  private func sqliteRate() async throws -> Double {
    let place = URL(filePath: folder).appending(path: "sqlite", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: place) }
    var storing = Worker.configuration
    storing.delivers = false
    let client = Worker.client
    let filled = try await Outbox(at: place, client: client, configuration: storing)
    try await fill(filled)
    await filled.close()
    let begin = ContinuousClock.now
    let outbox = try await Outbox(at: place, client: client, configuration: Worker.configuration)
    try await outbox.waitUntilEmpty()
    let seconds = (ContinuousClock.now - begin).inSeconds
    await outbox.close()
    await client.shutdown()
    return Double(requests) / seconds
  }
}

/// Runs blocking work on a dedicated thread.
enum OwnThread {
  static func run(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
  }
}
