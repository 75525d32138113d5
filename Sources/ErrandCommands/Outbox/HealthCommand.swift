import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reports whether stored requests are being delivered, for a health probe: by the exit code and in one line.
struct HealthCommand {
  /// The most time for reading the store, because probes time out after about 10 s.
  private static let limit = Duration.seconds(8)

  let oldest: Duration?
  let place: OutboxPlace
  let console: Console
  let isJSON: Bool

  func run() async throws -> ExitCode {
    let health = try await health()
    if isJSON {
      try console.show(JSONHealth(store: place.name, isHealthy: health.isGood, reason: health.reason))
    } else {
      let word = health.isGood ? "healthy" : "unhealthy"
      try console.output.write(ControlEscaper.line("\(word): \(health.reason)") + "\n")
    }
    return health.isGood ? .success : .rejected
  }

  private func health() async throws -> OutboxHealth {
    do {
      guard place.exists else { return OutboxHealth(true, "nothing has been stored in \(place.name) yet") }
      return try await lookWithinLimit()
    } catch is CancellationError {
      throw CancellationError()
    } catch let failure as CommandFailure where failure.exit == .usage {
      throw failure
    } catch {
      return OutboxHealth(false, CommandFailure(error).message)
    }
  }

  /// Returns at the limit even if the store cannot be closed then, because the process ends anyway.
  private func lookWithinLimit() async throws -> OutboxHealth {
    let (found, finding) = AsyncThrowingStream<OutboxHealth, any Error>.makeStream()
    let looking = Task {
      do { finding.yield(try await look()) } catch { finding.finish(throwing: error) }
    }
    let waiting = Task {
      try await Task.sleep(for: Self.limit)
      let silence = SpanText.length(Self.limit.seconds)
      finding.yield(OutboxHealth(false, "\(place.name) did not respond for \(silence)"))
    }
    defer {
      looking.cancel()
      waiting.cancel()
    }
    for try await health in found { return health }
    throw CancellationError()
  }

  private func look() async throws -> OutboxHealth {
    let outbox = try await place.open()
    do {
      let statistics = try await outbox.statistics()
      let abandoned = try await outbox.abandoned().map { OutboxRecord($0) }
      var alive: Int?
      if case .database(let url) = place.kind { alive = try await url.workers().count(where: \.isAlive) }
      await outbox.close()
      return OutboxHealth(statistics, abandoned, workers: alive, oldest: oldest, at: Date())
    } catch {
      await outbox.close()
      throw error
    }
  }
}

/// Whether an outbox delivers, and the reason. Pure.
struct OutboxHealth: Sendable, Hashable {
  let isGood: Bool
  let reason: String

  init(_ isGood: Bool, _ reason: String) {
    self.isGood = isGood
    self.reason = reason
  }

  /// - Parameters:
  ///   - abandoned: The requests that are still being attempted after their leases ended, the longest first.
  ///   - workers: The number of workers that are alive; nil for a folder, where that is not known.
  ///   - oldest: The longest time that a request may wait; nil for no limit.
  init(
    _ statistics: OutboxStatistics, _ abandoned: [OutboxRecord] = [], workers: Int?, oldest: Duration?,
    at now: Date
  ) {
    let open = statistics.counts[.stored, default: 0] + statistics.counts[.attempting, default: 0]
    let age = statistics.oldest.map { now.timeIntervalSince(Date(milliseconds: $0)) }
    if workers == 0, open > 0 {
      self.init(false, "\(Self.requests(open)) to deliver, but no worker is alive")
    } else if let first = abandoned.first {
      let others = abandoned.count > 1 ? ", as are \(abandoned.count - 1) others" : ""
      self.init(
        false,
        "\(first.id) (\(first.request)) has been attempting for "
          + "\(SpanText.length(now.timeIntervalSince(first.changed)))\(others), and its lease has ended: its worker is "
          + "gone or hangs, and no other worker took over. To retry it: errand outbox retry --force \(first.id)"
      )
    } else if let oldest, let age, age > oldest.seconds {
      let (waited, limit) = (SpanText.length(age), SpanText.length(oldest.seconds))
      self.init(false, "a request has waited for \(waited), longer than the limit of \(limit)")
    } else {
      let crew = workers.map { $0 == 1 ? ", 1 worker is alive" : ", \($0) workers are alive" } ?? ""
      self.init(true, Self.requests(open) + " to deliver" + crew)
    }
  }

  private static func requests(_ count: Int) -> String {
    count == 1 ? "there is 1 request" : "there are \(count) requests"
  }
}

/// The JSON for the health of an outbox.
private struct JSONHealth: Encodable {
  let store: String
  let isHealthy: Bool
  let reason: String
}
