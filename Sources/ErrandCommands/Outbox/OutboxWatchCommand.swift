import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Shows the changes of stored requests until it is interrupted.
struct OutboxWatchCommand {
  /// The interval at which the outbox is read without a notification, because other processes do not announce the
  /// attempts that they begin, and the displayed times grow old.
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
    var rates = OutboxRates()
    let began = ContinuousClock.now
    defer { screen?.end() }
    if screen == nil { try write(watcher.state.shown(.max)) }
    for try await _ in Self.moments(outbox.changes) {
      let changed = try await watcher.look()
      if screen == nil {
        try write(changed)
      } else {
        try await draw(watcher.state, outbox, &screen, &rates, at: ContinuousClock.now - began)
      }
    }
    try Task.checkCancellation()
  }

  /// Returns a stream that yields after every change and every interval.
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
    _ state: OutboxWatchState, _ outbox: Outbox, _ screen: inout LiveScreen?, _ rates: inout OutboxRates,
    at time: Duration
  ) async throws {
    let statistics = try await outbox.statistics()
    rates.take(statistics.counts, at: time)
    let (width, height) = (console.output.width, console.output.height)
    let now = Date()
    var lines = [ControlEscaper.line("\(place.name): \(StatisticsText(now: now).summary(statistics))")]
    lines.append(rates.line(at: time))
    // The counts, the rates, a blank line and the titles take a line each, and the cursor takes the last one.
    let records = state.shown(max(1, height - 5))
    if !records.isEmpty { lines += [""] + OutboxTable(now: now).lines(records, width: width) }
    try screen?.draw(lines.map { $0.count < width ? $0 : String($0.prefix(max(1, width - 1))) })
  }
}

/// Reads an outbox repeatedly and finds the changed requests.
struct OutboxWatcher {
  /// The greatest number of watched requests in each state.
  private static let limit = 1000

  let outbox: Outbox
  private(set) var state: OutboxWatchState

  init(_ outbox: Outbox) async throws {
    self.outbox = outbox
    state = OutboxWatchState([], last: try await Self.newest(outbox))
    state = OutboxWatchState(try await Self.open(outbox), last: state.last)
  }

  /// Reads the outbox.
  /// - Returns: The requests that changed since the last reading.
  mutating func look() async throws -> [OutboxRecord] {
    var entries = try await Self.open(outbox)
    let seen = Set(entries.map(\.outboxID))
    entries += try await outbox.list(after: state.last, limit: Self.limit).map { OutboxRecord($0) }
      .filter { !seen.contains($0.outboxID) }
    let found = Set(entries.map(\.outboxID))
    var forgotten: [OutboxID] = []
    for id in state.open.keys where !found.contains(id) {
      if let entry = try await outbox.status(of: id) {
        entries.append(OutboxRecord(entry))
      } else {
        forgotten.append(id)
      }
    }
    return state.look(at: entries, forgotten: forgotten)
  }

  private static func open(_ outbox: Outbox) async throws -> [OutboxRecord] {
    var records: [OutboxRecord] = []
    for state in [OutboxState.attempting, .stored, .deadLettered] {
      records += try await outbox.list(OutboxSelection(states: [state]), limit: limit).map {
        OutboxRecord($0)
      }
    }
    return records
  }

  /// Returns the sequence number of the newest request, or 0 for an empty outbox. Uses a binary search, because
  /// there may be millions of requests.
  private static func newest(_ outbox: Outbox) async throws -> Int64 {
    var (low, high): (Int64, Int64) = (0, 1)
    while let next = try await outbox.list(after: high, limit: 1).first {
      (low, high) = (next.sequence, max(high, next.sequence) * 2)
    }
    // No request is beyond `high`. A request is at `low`, unless that is 0.
    while low < high {
      let middle = low + (high - low) / 2
      if let next = try await outbox.list(after: middle, limit: 1).first {
        low = next.sequence
      } else {
        high = middle
      }
    }
    return high
  }
}

/// Finds the changes between successive readings of an outbox. Pure.
struct OutboxWatchState: Sendable {
  /// The unfinished requests by ID.
  private(set) var open: [OutboxID: OutboxRecord] = [:]
  /// The requests that finished while they were watched, the newest last.
  private(set) var ended: [OutboxRecord] = []
  /// The sequence number up to which requests are known.
  private(set) var last: Int64

  private static let mostEnded = 200

  /// - Parameters:
  ///   - open: The unfinished requests at the beginning.
  ///   - last: The sequence number of the newest request.
  init(_ open: [OutboxRecord], last: Int64) {
    for record in open { self.open[record.outboxID] = record }
    self.last = last
  }

  /// Compares a reading with the last one.
  /// - Parameters:
  ///   - records: The current records of the new and the open requests.
  ///   - forgotten: The IDs of open requests that no longer exist.
  /// - Returns: The changed requests, in the order of their changes.
  mutating func look(at records: [OutboxRecord], forgotten: [OutboxID] = []) -> [OutboxRecord] {
    for id in forgotten { open[id] = nil }
    var changed: [OutboxRecord] = []
    for record in records {
      last = max(last, record.sequence)
      guard open[record.outboxID] != record else { continue }
      changed.append(record)
      if record.state.isOver {
        open[record.outboxID] = nil
        ended.append(record)
      } else {
        open[record.outboxID] = record
      }
    }
    if ended.count > Self.mostEnded { ended.removeFirst(ended.count - Self.mostEnded) }
    return changed.sorted { ($0.changed, $0.sequence) < ($1.changed, $1.sequence) }
  }

  /// Returns at most `count` requests to show: attempting, stored and dead-letter requests, and then those that
  /// finished last.
  func shown(_ count: Int) -> [OutboxRecord] {
    let order: [OutboxState] = [.attempting, .stored, .deadLettered]
    let alive = order.flatMap { state in
      open.values.filter { $0.state == state }.sorted { $0.sequence < $1.sequence }
    }
    // Up to three lines are reserved for the requests that finished last, because the user waits for those.
    let kept = min(ended.count, max(count - alive.count, min(3, count / 2)))
    return Array(alive.prefix(max(0, count - kept)) + ended.suffix(kept).reversed())
  }
}

extension OutboxState {
  /// True if the request no longer changes, unless a user retries it.
  fileprivate var isOver: Bool { self == .delivered || self == .expired || self == .dropped }
}

/// A block of lines on a terminal that is redrawn as a whole.
struct LiveScreen: Sendable {
  private let output: OutputDescriptor
  private var drawn = 0

  init(_ output: OutputDescriptor) { self.output = output }

  /// Draws the lines over those drawn before.
  /// - Parameter lines: Fewer lines than the terminal has. Each must be shorter than the terminal's width.
  mutating func draw(_ lines: [String]) throws {
    var text = drawn > 0 ? "\u{1B}[\(drawn)A\r" : "\r"
    for line in lines { text += "\(line)\u{1B}[K\n" }
    // This clears the remaining lines of an earlier, longer block.
    text += "\u{1B}[J"
    drawn = lines.count
    try output.write(text)
  }

  /// Ends drawing and leaves the last lines on the screen.
  func end() { try? output.write("\r") }
}
