import BenchmarkSupport
import ErrandOutboxPostgres
import Foundation

/// Measures the outbox on PostgreSQL. Each figure is printed with its aim and with that of pgbench in the same
/// run, with the least SQL for the task.
@main
struct FleetBenchmark {
  static func main() async {
    do {
      let arguments = try Arguments([
        "what", "store", "url", "count", "rounds", "reference", "seconds", "folder", "label", "postmaster",
      ])
      let store = try arguments.need("store")
      let reference = Double(try arguments.number("reference", default: 1))
      switch try arguments.need("what") {
      case "enqueue":
        try await Enqueueing(
          store: store, rows: try arguments.number("count", default: 3000),
          rounds: try arguments.number("rounds", default: 3), reference: reference
        ).report()
      case "deliver":
        try await Delivering(
          store: store, url: try arguments.need("url"),
          requests: try arguments.number("count", default: 50_000),
          folder: try arguments.need("folder"), reference: reference,
          postmaster: try arguments.number("postmaster", default: 1)
        ).report()
      case "worker": try await Worker(store: store).run()
      case "claims":
        try await Claims(
          store: store, rows: try arguments.number("count", default: 1_000_000),
          rounds: try arguments.number("rounds", default: 31)
        ).report()
      case "passing":
        try await Passing(
          store: store, rows: try arguments.number("count", default: 500_000),
          label: arguments["label"] ?? "passing"
        ).report()
      case let other:
        throw Arguments.Wrong(
          description: "--what takes enqueue, deliver, worker, claims or passing, not \(other)")
      }
    } catch {
      FileHandle.standardError.write(Data("fleet: \(error)\n".utf8))
      exit(1)
    }
  }
}
