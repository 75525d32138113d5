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
    /// The number of rows that a search reads at once, and the most that it reads for one page.
    private static let (searchStep, mostSearched) = (500, 20_000)
    /// The most rows that are read to count those that match a filter.
    private static let mostCounted = 200_000

    private let outbox: Outbox
    private let state = Record()
    private let events: Task<Void, Never>

    init(_ outbox: Outbox) {
      self.outbox = outbox
      let state = state
      let stream = outbox.events
      events = Task {
        for await event in stream { state.withLock { $0.history.take(event) } }
      }
    }

    deinit { events.cancel() }

    private static var now: Double { Date().timeIntervalSince1970 * 1000 }

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
      let (health, minutes, pending, changes) = state.withLock { state in
        let news = state.history.takeNews()
        state.hour.take(reading, stored: news.stored, delivered: news.delivered)
        return (
          state.health.take(statistics, at: now), state.hour.minutes, state.pending.items, state.history.count
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
        pending: pending.map {
          OutboxSummary.Pending(
            id: $0.id, name: $0.action.name, count: $0.action.count ?? 1, ends: $0.ends,
            ids: Array(($0.action.ids ?? []).prefix(200)))
        },
        workers: workers.map { OutboxSummary.Worker(name: $0.name, claims: $0.claims, state: $0.stateText) },
        changes: changes)
    }

    func page(_ filter: OutboxFilter, after sequence: Int64, limit: Int) async throws -> OutboxPage {
      var page = OutboxPage()
      var last = sequence
      let step = filter.isPlain ? limit : Self.searchStep
      while true {
        let entries = try await outbox.list(filter.selection, after: last, limit: step)
        for entry in entries {
          last = entry.sequence
          page.searched += 1
          if filter.includes(entry) { page.rows.append(OutboxRequestRow(entry)) }
          if page.rows.count == limit {
            page.next = last
            return page
          }
        }
        if entries.count < step { return page }
        if page.searched >= Self.mostSearched {
          (page.next, page.isCut) = (last, true)
          return page
        }
      }
    }

    func count(_ filter: OutboxFilter) async throws -> OutboxCount {
      if filter.isPlain, let state = filter.state {
        guard let lane = filter.lane else {
          return OutboxCount(count: try await outbox.statistics().counts[state, default: 0])
        }
        if state.isOpen || state == .deadLettered {
          let lanes = try await outbox.laneStatistics()
          return OutboxCount(count: lanes.first { $0.lane == lane }?.counts[state, default: 0] ?? 0)
        }
      }
      var count = OutboxCount()
      count.isCut = try await !forEachPage(filter, atMost: Self.mostCounted) { count.count += $0.count }
      return count
    }

    func details(of id: OutboxID) async throws -> OutboxRequestDetails? {
      guard let details = try await outbox.details(of: id, bodyLimit: Self.bodyLimit) else { return nil }
      var neighbours: [OutboxEntry] = []
      if let lane = details.entry.lane {
        let states: Set<OutboxState> = [.stored, .attempting, .deadLettered]
        let selection = OutboxSelection(states: states, lane: .named(lane))
        neighbours = try await outbox.list(selection, limit: 20)
        if !neighbours.contains(where: { $0.id == id }) {
          neighbours.append(details.entry)
          neighbours += try await outbox.list(selection, after: details.entry.sequence, limit: 5)
          var known: Set<OutboxID> = []
          neighbours = neighbours.filter { known.insert($0.id).inserted }.sorted { $0.sequence < $1.sequence }
        }
      }
      return OutboxRequestDetails(
        details, history: state.withLock { $0.history[id] }, neighbours: neighbours)
    }

    /// Calls the body with the matching requests, page by page.
    /// - Returns: False if it ended at the limit.
    private func forEachPage(
      _ filter: OutboxFilter, atMost limit: Int = .max, _ body: ([OutboxEntry]) async throws -> Void
    ) async throws -> Bool {
      var (last, searched) = (Int64(0), 0)
      while true {
        let entries = try await outbox.list(filter.selection, after: last, limit: Self.searchStep)
        try await body(entries.filter(filter.includes))
        guard entries.count == Self.searchStep, let end = entries.last else { return true }
        (last, searched) = (end.sequence, searched + entries.count)
        if searched >= limit { return false }
      }
    }

    // MARK: Changes

    func take(_ action: InspectorAction) async throws {
      switch action.name {
      case "retry", "drop":
        guard action.ids != nil || action.filter?.state != nil else {
          throw Inspector.Failure(description: "the action names no requests")
        }
        state.withLock { _ = $0.pending.add(action, until: Self.now + Self.undoTime) }
      case "undo":
        guard action.pending.flatMap({ id in state.withLock { $0.pending.remove(id) } }) != nil else {
          throw Inspector.Failure(description: "it is too late: the change was carried out")
        }
      case "now":
        if let change = action.pending.flatMap({ id in state.withLock { $0.pending.remove(id) } }) {
          try await carryOut(change)
        }
      case "pause": try await outbox.pause(lane: action.lane)
      case "resume": try await outbox.resume(lane: action.lane)
      case "resume-origin": try await outbox.resume(origin: action.origin, key: action.key)
      default: throw Inspector.Failure(description: "unknown action \(action.name)")
      }
    }

    /// Carries out the changes that can no longer be undone.
    func carryOutDue() async {
      for action in state.withLock({ $0.pending.takeDue(at: Self.now) }) { try? await carryOut(action) }
    }

    /// Forgets the changes that have not been carried out yet.
    func forgetPending() { state.withLock { $0.pending = PendingActions() } }

    private func carryOut(_ action: InspectorAction) async throws {
      func change(_ selection: OutboxSelection) async throws {
        if action.name == "drop" {
          try await outbox.drop(selection)
        } else {
          try await outbox.retry(selection)
        }
      }
      if let ids = action.ids { return try await change(OutboxSelection(ids: ids.map(OutboxID.init))) }
      guard let filter = action.filter else { return }
      if filter.isPlain { return try await change(filter.selection) }
      _ = try await forEachPage(filter) { entries in
        guard !entries.isEmpty else { return }
        // The state is named, too, so that a request that has moved on meanwhile is left.
        try await change(OutboxSelection(states: filter.selection.states, ids: entries.map(\.id)))
      }
    }
  }
#endif
