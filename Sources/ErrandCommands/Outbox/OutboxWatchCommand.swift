import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Shows the events of stored requests, until it is interrupted.
struct OutboxWatchCommand {
  /// How often the outbox is read without a notification: attempts that begin in another process are not
  /// announced, and the times shown grow old.
  private static let interval = Duration.milliseconds(500)

  let place: OutboxPlace
  let console: Console
  let isJSON: Bool

  func run() async throws -> ExitCode {
    let outbox = try await place.open()
    let result: Result<Void, any Error>
    do {
      result = .success(try await watch(outbox))
    } catch {
      result = .failure(error)
    }
    await outbox.close()
    try result.get()
    return .interrupted
  }

  private func watch(_ outbox: Outbox) async throws {
    var watcher = try await OutboxWatcher(outbox)
    var screen = console.output.isTerminal && !isJSON ? LiveScreen(console.output) : nil
    defer { screen?.end() }
    if screen == nil { try write(watcher.state.shown(.max)) }
    for try await _ in Self.moments(outbox.changes) {
      let changed = try await watcher.look()
      if screen == nil {
        try write(changed)
      } else {
        try await draw(watcher.state, outbox, &screen)
      }
    }
    try Task.checkCancellation()
  }

  /// Yields after every change, and after every interval.
  private static func moments(_ changes: AsyncStream<Void>) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let hearing = Task {
      for await _ in changes { continuation.yield() }
      continuation.finish()
    }
    let ticking = Task {
      while true {
        try await Task.sleep(for: interval)
        continuation.yield()
      }
    }
    continuation.onTermination = { _ in
      hearing.cancel()
      ticking.cancel()
    }
    return stream
  }

  private func write(_ records: [OutboxRecord]) throws {
    for record in records {
      if isJSON {
        try console.output.write(JSONText.text(record, isPretty: false) + "\n")
      } else {
        try console.output.write(ControlEscaper.line(OutboxRecordLine.text(record)) + "\n")
      }
    }
  }

  private func draw(
    _ state: OutboxWatchState, _ outbox: Outbox, _ screen: inout LiveScreen?
  ) async throws {
    let statistics = try await outbox.statistics()
    let (width, height) = (console.output.width, console.output.height)
    let now = Date()
    var lines = [ControlEscaper.line("\(place.path): \(StatisticsText(now: now).summary(statistics))")]
    // One line is for the counts and one for the titles; the last one stays free for the cursor.
    let records = state.shown(max(1, height - 4))
    if !records.isEmpty { lines += [""] + OutboxTable(now: now).lines(records, width: width) }
    try screen?.draw(lines.map { $0.count < width ? $0 : String($0.prefix(max(1, width - 1))) })
  }
}
