import ErrandCore
import Foundation
import Programs

/// The workers of a course. Each has a place; when one ends, another takes its place.
final class FleetWorkers: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The time within which a worker must end when it gets the signal.
  private static let patience = Duration.seconds(30)

  private let folder: URL
  private let orders: [FleetOrders]
  private let record: FleetRecord
  private let programs: Locked<[Program?]>
  private let started = Locked(0)

  /// - Parameters:
  ///   - orders: The orders for each place.
  ///   - folder: The folder for the workers' output.
  init(_ orders: [FleetOrders], in folder: URL, _ record: FleetRecord) {
    self.record = record
    self.orders = orders
    self.folder = folder
    programs = Locked(Array(repeating: nil, count: orders.count))
  }

  var count: Int { orders.count }

  func startAll() throws { for place in orders.indices { try start(place) } }

  private func start(_ place: Int) throws {
    let number = started.withLock { started in
      started += 1
      return started
    }
    let output = folder.appending(path: "worker \(number)")
    try Data().write(to: output)
    let file = try FileHandle(forWritingTo: output)
    defer { try? file.close() }
    let program = try Program(
      Program.built("FleetWorker"), orders[place].words, output: file.fileDescriptor,
      errors: file.fileDescriptor, blocked: [SIGTERM])
    programs.withLock { $0[place] = program }
  }

  private func program(_ place: Int) -> Program? { programs.withLock { $0[place] } }

  /// Kills a worker, and starts another.
  func kill(_ place: Int) async throws {
    let program = program(place)
    record.beginTrouble(of: program?.number)
    program?.send(SIGKILL)
    _ = await program?.end()
    try start(place)
  }

  /// Stops a worker for a while.
  func freeze(_ place: Int, for time: Duration) async throws {
    try await whileInTrouble(place) { program in
      program?.stop()
      defer { program?.send(SIGCONT) }
      try await Task.sleep(for: time)
    }
  }

  /// Runs an action that may prevent a worker from recording its deliveries.
  func whileInTrouble(_ place: Int, _ work: (Program?) async throws -> Void) async throws {
    let program = program(place)
    try await record.duringTrouble(of: program?.number) { try await work(program) }
  }

  /// Signals a worker to end, waits for that, and starts another.
  func replace(_ place: Int) async throws {
    try await end(place)
    try start(place)
  }

  func endAll() async throws {
    try await withThrowingTaskGroup { group in
      for place in orders.indices { group.addTask { try await self.end(place) } }
      try await group.waitForAll()
    }
  }

  /// Kills all remaining workers.
  func killAll() {
    for program in programs.withLock({ $0 }) { program?.send(SIGKILL) }
  }

  private func end(_ place: Int) async throws {
    guard let program = program(place) else { return }
    program.send(SIGTERM)
    let guardian = Task {
      try await Task.sleep(for: Self.patience)
      program.send(SIGKILL)
    }
    let end = await program.end()
    guardian.cancel()
    guard end == .exited(0) else {
      throw Failure(description: "a worker ended with \(end) after the signal to stop")
    }
  }
}
