import ErrandCore
import ErrandObservability
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Delivers stored requests, until a signal stops it or no request is left to deliver.
struct OutboxRunCommand {
  /// How long each call with `--once` waits for a database that does not respond, because a cron job must not
  /// hang.
  private static let patience = Duration.seconds(10)

  let options: OutboxRun
  let place: OutboxPlace
  let console: Console
  let isJSON: Bool

  func run() async throws -> ExitCode {
    let client = try client()
    // The page must exist before the outbox opens, because the outbox may send requests at once.
    let page = try InspectedCalls.show(client)
    let (failures, failing) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let outbox = try await place.open(
      client, configuration(failing), patience: options.end == .idle ? Self.patience : nil)
    page?.show(outbox)
    let metrics: MetricsServer?
    do {
      metrics = try serveMetrics(client, outbox)
    } catch {
      await outbox.close(within: .zero)
      throw error
    }
    defer { metrics?.stop() }
    // After the grace period, the requests of interrupted attempts still have to be returned to the store.
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
      try await wait(outbox, log, failures)
    } catch is CancellationError {
      isStopped = true
      if !isJSON { console.say("* stopping") }
    } catch {
      await outbox.close(within: options.grace)
      await writing.value
      if !isJSON { try report(tally, nil) }
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

  private func serveMetrics(_ client: Client, _ outbox: Outbox) throws -> MetricsServer? {
    guard let address = options.metrics else { return nil }
    do {
      return try Metrics.serve(port: address.port, onAllAddresses: address.isOpen, client, outbox)
    } catch let failure as MetricsServer.Failure {
      throw CommandFailure(.localFile, "metrics", failure.description)
    }
  }

  private func client() throws -> Client {
    var configuration = ClientConfiguration()
    configuration.collectsMetrics = options.metrics != nil
    if let timeout = options.timeout { configuration.timeout = timeout }
    if !options.fields.isEmpty {
      configuration.attemptInterceptors.append(
        Credentials(fields: options.fields, scope: .origins(options.origins)))
    }
    if let credentials = ServerCredentials(options.credentials, at: options.origins, file: options.file) {
      configuration.attemptInterceptors.append(credentials)
    }
    return Client(transport: try options.connection.transport(console), configuration: configuration)
  }

  /// - Parameter failing: Yields when the store has failed.
  private func configuration(_ failing: AsyncStream<Void>.Continuation) -> OutboxConfiguration {
    var configuration = OutboxConfiguration()
    if let concurrency = options.concurrency { configuration.concurrency = concurrency }
    let console = console
    configuration.onStoreFailure = {
      console.say("errand: \($0)")
      failing.yield()
    }
    let refusing = Locked<Set<Origin>>([])
    configuration.delivery.classify = { attempt in
      let decision = DeliveryDecision.standard(attempt)
      if case .unauthorized = decision, attempt.status != nil,
        let origin = attempt.request.url.flatMap(Origin.init),
        refusing.withLock({ $0.insert(origin).inserted })
      {
        let server = origin.text
        console.say(
          "* \(server) refuses the credentials, or needs some: errand outbox run --bearer @FILE --to \(server)"
        )
      }
      return decision
    }
    return configuration
  }

  /// Waits until the run's end.
  /// - Throws: `CancellationError` after a signal.
  private func wait(_ outbox: Outbox, _ log: EventLog, _ failures: AsyncStream<Void>) async throws {
    if options.end == .idle { return try await waitUntilIdle(outbox, failures) }
    for await _ in outbox.changes {
      try log.check()
      if options.end == .empty, try await outbox.statistics().isIdle { return }
    }
    try Task.checkCancellation()
  }

  /// Waits until no request is left that may be attempted now.
  /// - Throws: The store's error if writing and then reading fail, because attempts in flight would wait
  ///   endlessly.
  private func waitUntilIdle(_ outbox: Outbox, _ failures: AsyncStream<Void>) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await outbox.waitUntilIdle() }
      group.addTask {
        for await _ in failures { _ = try await outbox.statistics() }
        try Task.checkCancellation()
      }
      try await group.next()
      group.cancelAll()
    }
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
  /// True if all requests have ended, except paused ones and those behind a dead letter that blocks its lane.
  var isIdle: Bool {
    counts[.attempting, default: 0] == 0 && (counts[.stored, default: 0] == 0 || isHeld)
  }
}

/// Counts the requests that ended, by their state.
final class OutboxCounters: Sendable {
  private static let names = ["delivered", "dead-letter", "expired", "dropped"]

  private let state = Locked<[String: Int]>([:])

  init() {}

  /// The counts by the name of the final state.
  var counts: [String: Int] { state.withLock { $0 } }

  func add(_ event: OutboxEvent) {
    guard let outcome = event.outcome else { return }
    let name =
      switch outcome {
      case .delivered: "delivered"
      case .deadLettered: "dead-letter"
      case .expired: "expired"
      case .dropped: "dropped"
      }
    state.withLock { $0[name, default: 0] += 1 }
  }

  var exitCode: ExitCode {
    let counts = counts
    if counts["dead-letter", default: 0] > 0 { return .deadLettered }
    return counts["expired", default: 0] + counts["dropped", default: 0] > 0 ? .expired : .success
  }

  static func text(_ counts: [String: Int]) -> String {
    let parts = names.compactMap { name in counts[name].map { "\($0) \(name)" } }
    return parts.isEmpty ? "no request was delivered" : parts.joined(separator: ", ")
  }
}

/// Logs the events of stored requests: as text on standard error, or as JSON on standard output.
final class EventLog: Sendable {
  private let console: Console
  private let isJSON: Bool
  private let failure = Locked<OutputDescriptor.Failure?>(nil)

  init(console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  func write(_ event: OutboxEvent) {
    guard isJSON else { return console.say(Self.line(event)) }
    do {
      try console.output.write(JSONText.text(JSONEvent(event), isPretty: false) + "\n")
    } catch {
      failure.withLock { $0 = error }
    }
  }

  /// Throws the error of the last event that could not be written, if there was one.
  func check() throws(OutputDescriptor.Failure) {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  static func line(_ event: OutboxEvent) -> String {
    let name = event.lane.map { "\(event.id) [\($0)]" } ?? "\(event.id)"
    return "* \(name): \(text(event.step, event.date))"
  }

  private static func text(_ step: OutboxEvent.Step, _ date: Date) -> String {
    switch step {
    case .stored: "stored"
    case .attempting(let count): "attempt \(count)"
    case .failed(let reason, let next): "\(reason); next attempt \(SpanText.until(next, at: date))"
    case .delivered(let response): "delivered: \(response.status)"
    case .deadLettered(let reason, _): "moved to the dead letters: \(reason)"
    case .expired: "expired"
    case .dropped(let reason): "dropped: \(reason)"
    }
  }
}
