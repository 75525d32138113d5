import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs a subcommand of `errand outbox`.
struct OutboxCommand {
  let action: OutboxAction
  let console: Console

  var isJSON: Bool { action.format == .json }

  func run() async throws -> ExitCode {
    do {
      return try await perform(OutboxPlace(action.store, bodies: action.bodies))
    } catch OutputDescriptor.Failure.readerGone {
      throw OutputDescriptor.Failure.readerGone
    } catch {
      let failure = CommandFailure(error)
      if isJSON { try console.show(JSONFailure(error: JSONReport.Failure(failure))) }
      if failure.exit != .interrupted, !isJSON { console.say(failure) }
      return failure.exit
    }
  }

  private func perform(_ place: OutboxPlace) async throws -> ExitCode {
    switch action.task {
    case .list(let listing): return try await list(listing, place)
    case .show(let id):
      return try await using(place) { outbox in
        try show(try await OutboxFinder(outbox: outbox).entry(id))
        return .success
      }
    case .run(let options):
      return try await OutboxRunCommand(options: options, place: place, console: console, isJSON: isJSON)
        .run()
    case .watch: return try await OutboxWatchCommand(place: place, console: console, isJSON: isJSON).run()
    case .serve(let port):
      return try await using(place) { outbox in
        try await OutboxServeCommand(outbox: outbox, name: place.name, port: port, console: console).run()
      }
    case .stats: return try await statistics(place)
    case .retry(let choice, let force):
      return try await change(choice, place, "retried", { try await $0.retry($1, force: force) })
    case .drop(let choice):
      return try await change(choice, place, "dropped", { try await $0.drop($1) })
    case .pause(let lane):
      return try await using(place) { outbox in
        try await outbox.pause(lane: lane)
        return try await showPause(outbox, lane)
      }
    case .resume(let lane):
      return try await using(place) { outbox in
        try await outbox.resume(lane: lane)
        return try await showPause(outbox, lane)
      }
    case .export(let listing, let ids):
      return try await using(place) { outbox in
        try await OutboxTransfer(outbox: outbox, console: console).export(listing, ids)
        return .success
      }
    case .import(let path):
      return try await opening(place) { outbox in
        try await OutboxTransfer(outbox: outbox, console: console).import(path, isJSON: isJSON)
        return .success
      }
    case .workers: return try await FleetCommand(console: console, isJSON: isJSON).workers(place)
    case .health(let oldest):
      return try await HealthCommand(oldest: oldest, place: place, console: console, isJSON: isJSON).run()
    case .migrate(let isDryRun):
      return try await FleetCommand(console: console, isJSON: isJSON).migrate(place, isDryRun: isDryRun)
    }
  }

  /// Opens an outbox that must exist, and closes it after the work.
  private func using(
    _ place: OutboxPlace, _ work: (Outbox) async throws -> ExitCode
  ) async throws -> ExitCode {
    guard place.exists else {
      throw CommandFailure(
        .localFile, "noOutbox", "nothing has been stored in \(place.name) yet",
        hint: "To store one: errand post URL ... --guaranteed. To use another folder: --store FOLDER.")
    }
    return try await opening(place, work)
  }

  /// Opens an outbox, or creates it, and closes it after the work.
  private func opening(
    _ place: OutboxPlace, _ work: (Outbox) async throws -> ExitCode
  ) async throws -> ExitCode {
    let outbox = try await place.open()
    do {
      let code = try await work(outbox)
      await outbox.close()
      return code
    } catch {
      await outbox.close()
      throw error
    }
  }

  // MARK: Showing

  private func list(_ listing: OutboxListing, _ place: OutboxPlace) async throws -> ExitCode {
    guard place.exists else {
      if isJSON { try console.show(JSONListing(store: place.name, requests: [])) }
      if !isJSON { console.say("Nothing has been stored in \(place.name) yet.") }
      return .success
    }
    return try await using(place) { outbox in
      let selection = OutboxSelection(
        states: listing.states, lane: listing.lane.map { .named($0) })
      let limit = listing.limit ?? .max
      let found = try await outbox.list(
        selection, after: try await sequence(named: listing.after, in: outbox),
        limit: limit == .max ? limit : limit + 1)
      let records = found.prefix(limit).map { OutboxRecord($0) }
      let next = found.count > limit ? records.last?.id : nil
      if isJSON {
        try console.show(JSONListing(store: place.name, requests: records, next: next))
      } else if let column = listing.column {
        let texts = records.compactMap { column == .id ? $0.id : $0.lane }
        for text in column == .id ? texts : Set(texts).sorted() {
          try console.output.write(ControlEscaper.line(text) + "\n")
        }
      } else if records.isEmpty {
        console.say("\(place.name) has no matching requests.")
      } else {
        let table = OutboxTable(now: Date())
        let width = console.output.isTerminal ? console.output.width : nil
        for line in table.lines(records, width: width) { try console.output.write(line + "\n") }
        if let next { console.say("* more requests follow: --after \(next)") }
      }
      return .success
    }
  }

  /// Returns the sequence number of the request that `--after` names, or 0 for nil.
  private func sequence(named name: String?, in outbox: Outbox) async throws -> Int64 {
    guard let name else { return 0 }
    // An ID may also be a number, so IDs are tried first.
    if let entry = try await outbox.status(of: OutboxID(rawValue: name)) { return entry.sequence }
    if let place = Int64(name), place >= 0 { return place }
    return try await OutboxFinder(outbox: outbox).entry(name).sequence
  }

  private func show(_ entry: OutboxEntry) throws {
    let record = OutboxRecord(entry, withBody: true)
    if isJSON { return try console.show(record) }
    for line in OutboxRecordText(now: Date()).lines(record) {
      try console.output.write(ControlEscaper.line(line) + "\n")
    }
    guard let response = entry.response, !response.body.isEmpty else { return }
    try console.output.write("\n")
    var writer = BodyWriter(console.output)
    try writer.write(response.body)
    try writer.finish()
  }

  private func statistics(_ place: OutboxPlace) async throws -> ExitCode {
    guard place.exists else {
      try show(OutboxStatistics(), [], [], place)
      return .success
    }
    return try await using(place) { outbox in
      let (statistics, held) = (try await outbox.statistics(), try await outbox.heldOrigins())
      try show(statistics, held, try await outbox.laneStatistics(), place)
      return .success
    }
  }

  private func show(
    _ statistics: OutboxStatistics, _ held: [HeldOrigin], _ lanes: [LaneStatistics], _ place: OutboxPlace
  ) throws {
    if isJSON {
      return try console.show(JSONStatistics(statistics, held: held, lanes: lanes, store: place.name))
    }
    let text = StatisticsText(now: Date())
    for line in text.lines(statistics) + held.map(text.line) + text.lines(lanes) {
      try console.output.write(ControlEscaper.line(line) + "\n")
    }
  }

  // MARK: Changing

  private func change(
    _ choice: OutboxChoice, _ place: OutboxPlace, _ verb: String,
    _ work: (Outbox, OutboxSelection) async throws -> [OutboxEntry]
  ) async throws -> ExitCode {
    try await using(place) { outbox in
      var selection = OutboxSelection.all
      if case .ids(let names) = choice {
        selection.ids = []
        for name in names { selection.ids?.append(try await OutboxFinder(outbox: outbox).entry(name).id) }
      }
      let records = try await work(outbox, selection).map { OutboxRecord($0) }
      if isJSON {
        try console.show(JSONListing(store: place.name, requests: records))
      } else {
        for record in records {
          try console.output.write(ControlEscaper.line("\(verb): \(record.id)  \(record.request)") + "\n")
        }
      }
      let changed = Set(records.map(\.id))
      let left = (selection.ids ?? []).filter { !changed.contains($0.rawValue) }
      var attempted = 0
      for id in left {
        let state = try await outbox.status(of: id)?.state
        if state == .attempting { attempted += 1 }
        console.say("errand: \(id) was not \(verb): \(state.map { "it is \($0)" } ?? "it was deleted")")
      }
      if case .all = choice {
        attempted = try await outbox.statistics().counts[.attempting, default: 0]
        if records.isEmpty, !isJSON { console.say("No request was \(verb).") }
      }
      if case .retry(_, force: false) = action.task, attempted > 0 {
        let requests = attempted == 1 ? "1 request is" : "\(attempted) requests are"
        console.say(
          "errand: \(requests) being attempted, and only --force retries that. Use it if the worker is gone or hangs."
        )
      }
      return left.isEmpty ? .success : .rejected
    }
  }

  private func showPause(_ outbox: Outbox, _ lane: String?) async throws -> ExitCode {
    let statistics = try await outbox.statistics()
    if isJSON {
      try console.show(JSONPause(statistics))
    } else {
      try console.output.write(ControlEscaper.line(StatisticsText.pauses(statistics)) + "\n")
    }
    return .success
  }
}
