#if ERRAND_INSPECTOR
  import ErrandCore
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Reads an outbox for the page, and carries out what the page requests.
  final class OutboxConsole: Sendable {
    private struct State {
      var history = OutboxHistory()
      var hour = OutboxHour()
      var health = DeliveryHealth()
      var pending = PendingActions()
    }

    /// The state, which the task that reads the events holds as well.
    private final class Record: Sendable {
      private let state = Locked(State())

      func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
      }
    }

    /// How long a change can be undone, in milliseconds.
    private static let undoTime = 10_000.0
    /// The most bytes of a request's body that the page shows.
    private static let bodyLimit = 256 << 10

    private let outbox: Outbox
    /// The number of rows that a search reads at once, and the most that it reads for one response.
    private let (searchStep, mostSearched): (Int, Int)
    private let state = Record()
    private let began = ContinuousClock.now
    private let events: Task<Void, Never>

    init(_ outbox: Outbox, searchStep: Int = 500, mostSearched: Int = 20_000) {
      self.outbox = outbox
      (self.searchStep, self.mostSearched) = (searchStep, mostSearched)
      let state = state
      let stream = outbox.events
      events = Task {
        for await event in stream { state.withLock { $0.history.take(event) } }
      }
    }

    deinit { events.cancel() }

    private static var now: Double { Date().timeIntervalSince1970 * 1000 }
    /// Milliseconds since the console began, which no change of the clock moves.
    private var elapsed: Double { (ContinuousClock.now - began).seconds * 1000 }

    // MARK: Reading

    func summary() async throws -> OutboxSummary {
      let statistics = try await outbox.statistics()
      let held = try await outbox.heldOrigins()
      let workers = try await outbox.claimants()
      let now = Self.now
      let reading = OutboxHour.Reading(
        at: now, all: statistics.counts.values.reduce(0, +),
        delivered: statistics.counts[.delivered, default: 0],
        oldest: statistics.oldest.map { Double($0) })
      let (health, minutes) = state.withLock { state in
        let news = state.history.takeNews()
        state.hour.take(reading, stored: news.stored, delivered: news.delivered)
        return (
          state.health.take(statistics, heldOrigins: held.count, delivers: outbox.isDelivering, at: now),
          state.hour.minutes
        )
      }
      return OutboxSummary(
        counts: Dictionary(uniqueKeysWithValues: statistics.counts.map { ("\($0.key)", $0.value) }),
        bytes: statistics.bytes, oldest: reading.oldest, now: now, isPaused: statistics.isPaused,
        pausedLanes: statistics.pausedLanes,
        held: held.map {
          OutboxSummary.Held(
            origin: $0.origin, key: $0.key, kind: "\($0.kind)", until: $0.until.shownTime, reason: $0.reason)
        },
        health: OutboxSummary.Health(state: health, text: DeliveryHealth.text(health)), hour: minutes,
        pending: pending.map { OutboxSummary.Pending($0, at: elapsed) },
        workers: workers.map { OutboxSummary.Worker(name: $0.name, claims: $0.claims, state: $0.stateText) })
    }

    func page(_ filter: OutboxFilter, after sequence: Int64, limit: Int) async throws -> OutboxPage {
      var page = OutboxPage()
      var end: Int64?
      let next = try await search(filter, after: sequence, step: filter.isPlain ? limit + 1 : searchStep) {
        found, searched in
        page.searched += searched
        let rows = found.prefix(limit - page.rows.count)
        page.rows += rows.map(OutboxRequestRow.init)
        end = rows.last?.sequence ?? end
        return found.count == rows.count
      }
      page.isCut = next != nil && page.rows.count < limit
      page.next = page.isCut ? next : next.flatMap { _ in end }
      return page
    }

    /// Counts the matching requests after a sequence, or as many as can be read for one response.
    func count(_ filter: OutboxFilter, after sequence: Int64) async throws -> OutboxCount {
      var count = OutboxCount(at: Self.now.rounded(.up))
      if filter.isPlain, let state = filter.state {
        guard let lane = filter.lane else {
          count.count = try await outbox.statistics().counts[state, default: 0]
          return count
        }
        if state.isOpen || state == .deadLettered {
          let lanes = try await outbox.laneStatistics()
          count.count =
            lanes.first { $0.lane.map { $0.utf8.elementsEqual(lane.utf8) } ?? false }?.counts[
              state, default: 0] ?? 0
          return count
        }
      }
      count.next = try await search(filter, after: sequence) { found, _ in
        count.count += found.count
        return true
      }
      return count
    }

    func details(of id: OutboxID) async throws -> OutboxRequestDetails? {
      guard let details = try await outbox.details(of: id, bodyLimit: Self.bodyLimit) else { return nil }
      var neighbours: [OutboxEntry] = []
      var begins = 0
      if let lane = details.entry.lane {
        let states: Set<OutboxState> = [.stored, .attempting, .deadLettered]
        let selection = OutboxSelection(states: states, lane: .named(lane))
        neighbours = try await outbox.list(selection, limit: 20)
        begins = neighbours.count
        if !neighbours.contains(where: { $0.id == id }) {
          neighbours.append(details.entry)
          neighbours += try await outbox.list(selection, after: details.entry.sequence, limit: 5)
          var known: Set<OutboxID> = []
          neighbours = neighbours.filter { known.insert($0.id).inserted }.sorted { $0.sequence < $1.sequence }
        }
      }
      return OutboxRequestDetails(
        details, history: state.withLock { $0.history[id] }, neighbours: neighbours, begins: begins)
    }

    /// Calls the body with the matching requests and with the number that were read, page by page, until it returns
    /// false.
    /// - Returns: The sequence after which the search continues; nil if all requests were read.
    private func search(
      _ filter: OutboxFilter, after sequence: Int64, step: Int? = nil, atMost limit: Int? = nil,
      _ body: ([OutboxEntry], Int) async throws -> Bool
    ) async throws -> Int64? {
      var (last, searched) = (sequence, 0)
      let (step, limit) = (step ?? searchStep, limit ?? mostSearched)
      while true {
        let entries = try await outbox.list(filter.selection, after: last, limit: step)
        last = entries.last?.sequence ?? last
        searched += entries.count
        if try await !body(entries.filter(filter.includes), entries.count) { return last }
        if entries.count < step { return nil }
        if searched >= limit { return last }
      }
    }

    // MARK: Changes

    /// The changes that wait, that are being carried out, or that failed.
    var pending: [PendingActions.Item] { state.withLock { $0.pending.items } }

    func take(_ action: InspectorAction) async throws {
      switch action.name {
      case "retry", "drop":
        guard action.filter?.state != nil else {
          throw Inspector.Failure(description: "the action names no requests")
        }
        let isAdded = state.withLock { state in
          guard !state.pending.conflicts(with: action) else { return false }
          _ = state.pending.add(action, until: elapsed + Self.undoTime)
          return true
        }
        if !isAdded {
          throw Inspector.Failure(description: "another change of these requests waits: undo it first")
        }
      case "undo":
        guard let id = action.pending, state.withLock({ $0.pending.undo(id) }) else {
          throw Inspector.Failure(description: "it is too late: the change was carried out")
        }
      case "now":
        if let id = action.pending, let change = state.withLock({ $0.pending.begin(id) }) { begin(change) }
      case "pause": try await outbox.pause(lane: action.lane)
      case "resume": try await outbox.resume(lane: action.lane)
      case "resume-origin": try await outbox.resume(origin: action.origin, key: action.key)
      default: throw Inspector.Failure(description: "unknown action \(action.name)")
      }
    }

    /// Begins the changes that can no longer be undone.
    func beginDue() {
      for change in state.withLock({ $0.pending.beginDue(at: elapsed) }) { begin(change) }
    }

    /// Forgets the changes that have not begun yet.
    func forgetPending() { state.withLock { $0.pending.forget() } }

    /// Carries out a change in a separate task, because it may take long. The page shows how far it is.
    private func begin(_ change: PendingActions.Item) {
      Task {
        var failure: String?
        do {
          try await carryOut(change.action) { count in
            self.state.withLock { $0.pending.advance(change.id, by: count) }
          }
        } catch {
          failure = "\(error)"
        }
        state.withLock { [failure] in $0.pending.end(change.id, failure: failure) }
      }
    }

    /// - Parameter progress: Is called with the number of requests that were changed.
    private func carryOut(_ action: InspectorAction, progress: (Int) -> Void) async throws {
      func change(_ selection: OutboxSelection) async throws {
        let changed =
          action.name == "drop" ? try await outbox.drop(selection) : try await outbox.retry(selection)
        progress(changed.count)
      }
      guard let filter = action.filter else { return }
      // The state is named, too, so that a request that has moved on meanwhile is left.
      if let ids = action.ids {
        return try await change(
          OutboxSelection(states: filter.selection.states, ids: ids.map(OutboxID.init)))
      }
      _ = try await search(filter, after: 0, atMost: .max) { found, _ in
        guard !found.isEmpty else { return true }
        try await change(OutboxSelection(states: filter.selection.states, ids: found.map(\.id)))
        return true
      }
    }
  }
#endif
