import ErrandCore
import ErrandTesting
import Foundation

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// Runs the same random operations on stores that share a folder and on the model, and compares the results.
final class ModelRun {
  private struct Owner {
    var store: SQLiteOutboxStore
    var number: Int
    var leases: [Lease] = []
  }

  private static let lanes: [String?] = [nil, nil, "a", "b", "c"]
  private static let origins = ["x", "y", "z", "w"]

  private let seed: UInt64
  private var random: SeededRandom
  private let folder = ModelFolder()
  private var model = OutboxModel()
  private var owners: [Owner] = []
  private var openedOwners = 0
  private var addedRows = 0
  private var now: StoreTime {
    get { folder.time.withLock { $0 } }
    set { folder.time.withLock { $0 = newValue } }
  }
  /// The operations so far, the last at the end.
  private var log: [String] = []

  /// The differences between the store and the model.
  private(set) var complaints: [String] = []

  init(seed: UInt64) {
    self.seed = seed
    random = SeededRandom(seed: seed)
  }

  func run(_ steps: Int) async throws {
    for _ in 0..<2 { owners.append(try await open()) }
    for _ in 0..<steps {
      try await step()
      try await compareAll()
      if !complaints.isEmpty { return }
    }
    for owner in owners { await owner.store.close() }
  }

  private func check(
    _ isSame: Bool, _ found: @autoclosure () -> String, _ expected: @autoclosure () -> String
  ) {
    guard !isSame else { return }
    complaints.append(
      "seed \(seed), step \(log.count): found \(found()), expected \(expected()); \(log.suffix(12))")
  }

  private func same<Value: Equatable>(_ found: Value, _ expected: Value) {
    check(found == expected, "\(found)", "\(expected)")
  }

  /// Returns the row without its sequence number and reason, which the store chooses.
  private func plain(_ row: OutboxRow) -> OutboxRow {
    var row = row
    row.sequence = 0
    row.reason = nil
    return row
  }

  private func open() async throws -> Owner {
    openedOwners += 1
    return Owner(store: try await folder.open(), number: openedOwners)
  }

  private func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private func chance(_ percent: Int) -> Bool { number(1...100) <= percent }

  private func step() async throws {
    let place = number(0...1)
    switch number(0...99) {
    case 0..<25: try await add(place)
    case 25..<28: try await hold(place)
    case 28..<48: try await claim(place)
    case 48..<52: try await keep(place)
    case 52..<75: try await finish(place)
    case 75..<78: try await renew(place)
    case 78..<80: try await rescheduleOffline(place)
    case 80..<83: try await retry(place)
    case 83..<86: try await drop(place)
    case 86..<89: try await pause(place)
    case 89..<91: try await prune(place)
    case 91..<96: advance()
    case 96..<97: now.wall += Int64(number(-100_000...100_000))
    case 97..<98: restart()
    case 98..<99: try await keep(place)
    default: try await replace(place)
    }
  }

  private func advance() {
    let milliseconds = Int64(number(1...20_000))
    now.ticks += milliseconds
    now.wall += milliseconds
    log.append("advance \(milliseconds)")
  }

  private func restart() {
    now.ticks = Int64(number(0...10_000))
    now.wall += Int64(number(-50_000...50_000))
    now.boot = "boot \(log.count)"
    log.append("restart \(now)")
  }

  private func newRow() -> NewRow {
    let isOld = addedRows > 0 && chance(10)
    if !isOld { addedRows += 1 }
    let name = isOld ? "\(number(1...addedRows))" : "\(addedRows)"
    let expiry: NewRow.Expiry? =
      switch number(0...19) {
      case 0..<3: .after(.milliseconds(number(0...40_000)))
      case 3..<6: .at(now.wall + Int64(number(-5000...40_000)))
      default: nil
      }
    var row = NewRow(
      id: OutboxID(rawValue: name), lane: pick(Self.lanes), holdsLane: chance(30), priority: number(-1...1),
      expiry: expiry, summary: Data(name.utf8),
      content: Data("content of \(name)".utf8), files: isOld || chance(70) ? [] : ["file of \(name)"],
      size: Int64(number(0...100)), origin: pick(Self.origins))
    if chance(10) { row.notBefore = now.wall + Int64(number(-5000...40_000)) }
    if isOld { row.ifKnown = pick([.ignore, .replace, .replace, .refuse]) }
    return row
  }

  private func add(_ place: Int) async throws {
    let rows = (0..<number(1...3)).map { _ in newRow() }
    var caps = OutboxCaps()
    if chance(30) { caps.count = number(1...20) }
    if chance(30) { caps.bytes = Int64(number(50...1000)) }
    caps.whenFull = pick([.refuse, .dropOldest, .dropLeastImportant])
    log.append("add \(rows.map { "\($0.id) in \($0.lane ?? "-")" }) \(caps)")
    let expected = Result { () throws(OutboxModel.Refusal) in try model.add(rows, within: caps, at: now) }
    do {
      let dropped = try await owners[place].store.add(rows, within: caps)
      let wanted = try? expected.get()
      same(dropped.rows.map(plain), wanted?.rows.map(plain) ?? [])
      same(dropped.files.sorted(), wanted?.files.sorted() ?? ["nothing, for it is refused"])
    } catch let error as OutboxError where [.full, .known].contains(error.code) {
      let refusal: OutboxModel.Refusal? = if case .failure(let refusal) = expected { refusal } else { nil }
      check(refusal == (error.code == .full ? .full : .known), "\(error)", "\(expected)")
    }
  }

  private func claim(_ place: Int) async throws {
    let (bounds, lease) = (bounds(), Duration.milliseconds(number(1...30_000)))
    log.append("claim \(bounds) for \(lease) by \(owners[place].number)")
    let expected = model.claim(bounds, for: lease, by: owners[place].number, at: now)
    let claim = try await owners[place].store.claim(bounds, for: lease)
    same(claim.rows.map { plain($0.row) }, expected.rows.map(plain))
    same(Set(claim.expired.map(\.id)), expected.expired)
    same(Set(claim.recovered.map(\.id)), expected.recovered)
    same(claim.next, expected.next)
    same(Set(claim.deadLettered.map(\.id)), expected.deadLettered)
    same(claim.held, Set(model.holds.keys))
    for claimed in claim.rows {
      same(claimed.content, Data("content of \(claimed.row.id)".utf8))
      if let index = model.index(claimed.row.id) {
        model.entries[index].lease = claimed.lease
        model.entries[index].leases.insert(claimed.lease)
      }
      owners[place].leases.append(claimed.lease)
      if chance(70) {
        log.append("begin \(claimed.lease.id)")
        try await begin([claimed.lease], place)
      }
    }
    if chance(30), !owners[place].leases.isEmpty { try await begin([pick(owners[place].leases)], place) }
  }

  private func begin(_ leases: [Lease], _ place: Int) async throws {
    let held = model.begin(leases, by: owners[place].number, at: now)
    same(try await owners[place].store.begin(leases), held)
  }

  private func bounds() -> ClaimBounds {
    var bounds = ClaimBounds(number(0...5))
    if chance(30) { bounds.maxAttempts = number(1...4) }
    if chance(50) { (bounds.backoff, bounds.maxBackoff) = (.milliseconds(number(1...5000)), .seconds(9)) }
    guard chance(50) else { return bounds }
    for origin in Self.origins where chance(50) { bounds.capacities[origin] = number(0...2) }
    bounds.perOther = number(1...2)
    bounds.others = number(0...3)
    return bounds
  }

  private func hold(_ place: Int) async throws {
    let (origin, length) = (pick(Self.origins), Duration.milliseconds(number(1...30_000)))
    if chance(30) {
      log.append("release \(origin)")
      model.adopt(now)
      model.holds[origin] = nil
      let news = OriginNews(origin: origin, change: .release)
      _ = try await owners[place].store.finish(
        [FinishedAttempt(lease: Self.nobody, outcome: .returned, news: news)])
      return
    }
    let kind = pick(OriginHold.Kind.allCases)
    log.append("hold \(origin) \(kind) for \(length)")
    model.hold(origin, kind, for: length, at: now)
    let news = OriginNews(origin: origin, change: .hold(kind, reason: "", for: length))
    _ = try await owners[place].store.finish(
      [FinishedAttempt(lease: Self.nobody, outcome: .returned, news: news)])
  }

  private static let nobody = Lease(id: OutboxID(rawValue: "nobody"), number: 1)

  private func finish(_ place: Int) async throws {
    // Expired leases stay in the list, so that stale ones are used, too.
    guard !owners[place].leases.isEmpty else { return }
    let lease = pick(owners[place].leases.suffix(8))
    let delay = Duration.milliseconds(chance(30) ? 0 : number(1...30_000))
    let outcome: FinishedAttempt.Outcome =
      switch number(0...9) {
      case 0..<4: .delivered(response: Data([UInt8(number(0...255))]))
      case 4..<7: .failed(reason: "failed", next: delay, counts: chance(50), wasOffline: chance(50))
      case 7..<9: .rejected(reason: "refused", response: chance(50) ? Data([1]) : nil)
      default: .returned
      }
    log.append("finish \(lease.id) \(outcome)")
    let expected = model.finish(lease, outcome, at: now)
    var attempt = FinishedAttempt(lease: lease, outcome: outcome)
    attempt.hasUpload = true
    let finished = try await owners[place].store.finish([attempt])
    same(finished.map { $0.row.map(plain) }, [expected.row.map(plain)])
    same(finished.flatMap(\.files), expected.files)
  }

  private func keep(_ place: Int) async throws {
    guard !owners[place].leases.isEmpty else { return }
    let (lease, upload) = (pick(owners[place].leases.suffix(8)), Data([UInt8(number(0...255))]))
    let madeProgress = chance(50)
    log.append("keep an upload of \(lease.id)\(madeProgress ? ", with progress" : "")")
    let isHeld = model.keep(upload, madeProgress: madeProgress, of: lease)
    same(try await owners[place].store.keep(upload, madeProgress: madeProgress, of: lease), isHeld)
  }

  private func renew(_ place: Int) async throws {
    guard !owners[place].leases.isEmpty else { return }
    let lease = pick(owners[place].leases.suffix(8))
    log.append("renew \(lease.id)")
    let isHeld = model.renew(lease, for: .seconds(20), at: now)
    let lost = try await owners[place].store.renew([lease], for: .seconds(20))
    same(lost, isHeld ? [] : [lease])
  }

  private func rescheduleOffline(_ place: Int) async throws {
    log.append("hasten")
    let expected = model.rescheduleOffline(at: now)
    same(try await owners[place].store.rescheduleOffline(), expected)
  }

  private func selection() -> OutboxSelection {
    var selection = OutboxSelection()
    if chance(40) { selection.states = Set(OutboxState.allCases.filter { _ in chance(50) }) }
    if chance(40) { selection.lane = pick([.named("a"), .named("b"), OutboxSelection.Lane.none]) }
    if chance(60) { selection.ids = (0..<5).map { _ in OutboxID(rawValue: "\(number(0...addedRows))") } }
    return selection
  }

  private func retry(_ place: Int) async throws {
    let selection = selection()
    let isForced = chance(30)
    log.append("retry \(selection)\(isForced ? " by force" : "")")
    let expected = model.retry(selection, force: isForced, at: now)
    let retried = try await owners[place].store.retry(selection, force: isForced)
    same(retried.map(plain), expected.map(plain))
  }

  private func drop(_ place: Int) async throws {
    let selection = selection()
    log.append("drop \(selection)")
    let expected = model.drop(selection, at: now)
    let dropped = try await owners[place].store.drop(selection, reason: "dropped")
    same(dropped.rows.map(plain), expected.rows.map(plain))
    same(dropped.files, expected.files)
  }

  private func pause(_ place: Int) async throws {
    // Resumes more often than it pauses.
    let isPaused = chance(40)
    let lane = chance(30) ? nil : pick(["a", "b", "c"])
    log.append("pause \(isPaused) \(lane ?? "all")")
    if let lane {
      if isPaused { model.pausedLanes.insert(lane) } else { model.pausedLanes.remove(lane) }
    } else {
      model.isPaused = isPaused
    }
    try await owners[place].store.setPaused(isPaused, lane: lane)
  }

  private func prune(_ place: Int) async throws {
    let age = number(0...30_000)
    let changed = now.wall - Int64(age)
    log.append("prune \(changed)")
    let expected = model.prune(changed)
    same(try await owners[place].store.prune(olderThan: .milliseconds(age)).sorted(), expected.sorted())
  }

  /// Ends a process, by closing or abandoning its store, and starts another in its place.
  private func replace(_ place: Int) async throws {
    if chance(50) {
      log.append("close \(owners[place].number)")
      model.giveBackAll(of: owners[place].number)
      await owners[place].store.close()
    } else {
      log.append("abandon \(owners[place].number)")
      model.gone.insert(owners[place].number)
      await owners[place].store.abandon()
    }
    let leases = owners[place].leases
    owners[place] = try await open()
    // The new process uses the old leases, which are stale or late now.
    owners[place].leases = leases
  }

  private func compareAll() async throws {
    let store = owners[number(0...1)].store
    same(try await store.list(.all, after: 0, limit: .max).map(plain), model.rows.map(plain))
    same(try await store.statistics(), model.statistics)
    let selection = selection()
    let listed = try await store.list(selection, after: 0, limit: .max)
    same(listed.map(\.id), model.selected(selection).map { model.rows[$0].id })
    let files = (1...max(1, addedRows)).map { "file of \($0)" }
    same(try await store.used(files), model.used(files))
    // The upload of a dropped row is removed later.
    let open = model.entries.filter { $0.row.state != .dropped }
    same(
      try await store.uploads(of: open.map(\.row.id)),
      open.map { $0.row.state == .delivered ? nil : $0.upload })
    let attempting = model.entries.filter { $0.row.state == .attempting }.compactMap(\.row.lane)
    same(attempting.count, Set(attempting).count)
  }
}
