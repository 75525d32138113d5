import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Delivers what is stored, until a signal ends it or nothing is left to do.
struct OutboxRunCommand {
  let options: OutboxRun
  let place: OutboxPlace
  let console: Console
  let isJSON: Bool

  func run() async throws -> ExitCode {
    let outbox = try await place.open(try client(), configuration)
    // After the grace, attempts that are cut off still have to be given back.
    Interruption.allow(options.grace + .seconds(2))
    let tally = OutboxCounters()
    let log = EventLog(console: console, isJSON: isJSON)
    let events = outbox.events
    let writing = Task {
      for await event in events {
        tally.add(event)
        log.write(event)
      }
    }
    var isStopped = false
    do {
      try await wait(outbox, log)
    } catch is CancellationError {
      isStopped = true
      if !isJSON { console.say("* stopping") }
    } catch {
      await outbox.close(within: options.grace)
      throw error
    }
    let statistics = try? await outbox.statistics()
    await outbox.close(within: options.grace)
    // Closing has finished the stream of events.
    await writing.value
    try log.check()
    try report(tally, statistics)
    if options.end == .never { return .success }
    return isStopped ? .interrupted : tally.exitCode
  }

  private func client() throws -> Client {
    var configuration = ClientConfiguration()
    if let timeout = options.timeout { configuration.timeout = timeout }
    if !options.fields.isEmpty {
      configuration.attemptInterceptors = [
        Credentials(fields: options.fields, scope: .origins(options.origins))
      ]
    }
    return Client(transport: try options.connection.transport(), configuration: configuration)
  }

  private var configuration: OutboxConfiguration {
    var configuration = OutboxConfiguration()
    if let concurrency = options.concurrency { configuration.concurrency = concurrency }
    let console = console
    configuration.onStoreFailure = { console.say("errand: \($0)") }
    return configuration
  }

  /// Waits until the run's end.
  /// - Throws: `CancellationError` after a signal.
  private func wait(_ outbox: Outbox, _ log: EventLog) async throws {
    if options.end == .idle { return try await outbox.waitUntilIdle() }
    for await _ in outbox.changes {
      try log.check()
      if options.end == .empty, try await outbox.statistics().isIdle { return }
    }
    try Task.checkCancellation()
  }

  private func report(_ tally: OutboxCounters, _ statistics: OutboxStatistics?) throws {
    let counts = tally.counts
    if isJSON {
      return try console.show(JSONRunEnd(done: counts, left: statistics.map { JSONStatistics($0) }))
    }
    console.say("* \(OutboxCounters.text(counts))")
    if let statistics { console.say("* left: \(StatisticsText(now: Date()).summary(statistics))") }
  }
}

/// The JSON object that a run prints last.
private struct JSONRunEnd: Encodable {
  /// The number of requests that ended in this process, by state.
  let done: [String: Int]
  let left: JSONStatistics?
}

extension OutboxStatistics {
  /// True if no request is left that can be delivered without help.
  var isIdle: Bool {
    counts[.attempting, default: 0] == 0 && (counts[.stored, default: 0] == 0 || isHeld)
  }
}
