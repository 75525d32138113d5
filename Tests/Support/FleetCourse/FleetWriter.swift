import ErrandCore
import ErrandOutbox
import ErrandTesting
import Foundation
import Programs

/// Enqueues requests in groups, each again until the outbox has reported that it is stored.
struct FleetWriter: Sendable {
  /// The wait before a group is enqueued again.
  private static let rest = Duration.milliseconds(200)

  let numbers: [Int]
  let ports: [Int]
  /// The wait after each group.
  let pace: Duration
  let seed: UInt64
  /// Called with the requests of each stored group.
  let accept: @Sendable (ArraySlice<Int>) -> Void

  /// Enqueues through an outbox.
  func write(to outbox: Outbox) async throws {
    try await inGroups(of: 1...40) { group in
      let items = group.map { FleetRequest($0).item(to: ports) }
      while true {
        do {
          try await outbox.enqueue(items)
          return
        } catch let error as OutboxError where error.code != .notStorable {
          // The database is unavailable.
          try await Task.sleep(for: Self.rest)
        }
      }
    }
  }

  /// Enqueues by SQL, with a transaction for each group. Some transactions are rolled back first.
  /// - Parameters:
  ///   - url: The URL of the database.
  ///   - folder: The folder for the statements.
  ///   - phantom: A number that is never stored, because it is only in transactions that are rolled back.
  func write(toDatabase url: String, in folder: URL, phantom: Int) async throws {
    let rolledBack = FleetRequest(phantom).statement(to: ports)
    try await inGroups(of: 40...160) { group in
      let statements = group.map { FleetRequest($0).statement(to: ports) }.joined()
      let script = "BEGIN;\n\(rolledBack)ROLLBACK;\nBEGIN;\n\(statements)COMMIT;\n"
      while try await !psql(script, url, folder) { try await Task.sleep(for: Self.rest) }
    }
  }

  private func psql(_ script: String, _ url: String, _ folder: URL) async throws -> Bool {
    guard let psql = Program.path(of: "psql") else {
      throw FleetWorkers.Failure(description: "psql is not installed")
    }
    let file = folder.appending(path: "statements.sql")
    try Data(script.utf8).write(to: file)
    let errors = folder.appending(path: "psql.errors")
    try Data().write(to: errors)
    let handle = try FileHandle(forWritingTo: errors)
    defer { try? handle.close() }
    let program = try Program(
      psql, [url, "-X", "-q", "-o", "/dev/null", "-v", "ON_ERROR_STOP=1", "-f", file.path],
      errors: handle.fileDescriptor)
    let end = await program.end()
    // 2: the connection was lost. 3: a statement failed.
    guard end == .exited(3) else { return end == .exited(0) }
    let said = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
    let isAway = ["shutting down", "starting up", "recovery", "terminating", "crash"].contains(
      where: said.contains)
    guard isAway else { throw FleetWorkers.Failure(description: "psql failed: \(said)") }
    return false
  }

  private func inGroups(
    of sizes: ClosedRange<Int>, _ enqueue: (ArraySlice<Int>) async throws -> Void
  ) async throws {
    var (rest, random) = (numbers[...], SeededRandom(seed: seed))
    while !rest.isEmpty {
      let group = rest.prefix(Int.random(in: sizes, using: &random))
      rest = rest.dropFirst(group.count)
      try await enqueue(group)
      accept(group)
      if pace > .zero { try await Task.sleep(for: pace) }
    }
  }
}
