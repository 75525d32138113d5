import ErrandCore
import ErrandTesting
import Foundation

@testable import ErrandOutbox

/// Two stores on a disk whose power goes at some instant, again and again, and what they had said before.
struct PowerLossCourse {
  private struct Known {
    var content: Data
    var lane: String?
    var isDelivered = false
    /// Somebody asked to have it recorded, and the power went before it was told.
    var mayBeDelivered = false
  }

  /// What is not as promised.
  private(set) var violations: [String] = []
  private(set) var cuts = 0
  private let seed: UInt64
  private let disk: PowerLossDisk
  private var random: SeededRandom
  /// What the stores have said to be stored, by its name.
  private var known: [OutboxID: Known] = [:]
  /// In the order in which it was said.
  private var order: [OutboxID] = []
  /// Whether they can be there nobody knows: the power went first.
  private var maybe: [OutboxID: Known] = [:]
  private var leases: [Lease] = []
  private var last = 0
  private var now = StoreTime(ticks: 1, wall: 1_700_000_000_000, boot: "boot 1")

  init(seed: UInt64, lies: Bool = false) throws {
    self.seed = seed
    disk = try PowerLossDisk(lies: lies)
    random = SeededRandom(seed: seed)
  }

  mutating func run() async throws {
    for launch in 1...3 {
      disk.cut(after: Int.random(in: 1...(launch == 1 ? 120 : 60), using: &random))
      await live()
      cuts += 1
      disk.restart(seed: random.next())
      leases = []
      if Bool.random(using: &random) { now.boot = "boot \(launch + 1)" }
      await check()
      if !violations.isEmpty { return }
    }
  }

  private func open(as owner: MemoryOwner) async throws -> SQLiteOutboxStore {
    var setup = StoreSetup()
    setup.vfs = disk.name
    setup.runsInCaller = true
    setup.owners = owner
    setup.doorbell = SilentDoorbell()
    setup.busyTimeout = .zero
    return try await SQLiteOutboxStore(folder: URL(filePath: "/disk"), setup: setup)
  }

  // MARK: Until the power goes

  private mutating func live() async {
    let names = (1...2).map { "owner \($0) of launch \(cuts)" }
    var stores: [SQLiteOutboxStore] = []
    // What is left of an empty disk is an empty disk.
    for name in names {
      guard let store = try? await open(as: MemoryOwner(name, beside: names)) else { break }
      stores.append(store)
    }
    while !disk.isCut, let store = stores.randomElement(using: &random) {
      now.ticks += 10
      now.wall += 10
      do { try await act(on: store) } catch {
        guard !disk.isCut else { break }
        violations.append("seed \(seed): \(error)")
        break
      }
    }
    for store in stores { await store.abandon() }
  }

  private mutating func act(on store: SQLiteOutboxStore) async throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<4: try await add(to: store)
    case 4..<6:
      leases += try await store.claim(3, for: .seconds(60), at: now).rows.map(\.lease)
    case 6..<8: try await deliver(on: store)
    case 8:
      guard let lease = leases.popLast() else { return }
      _ = try await store.finish(
        [
          FinishedTry(
            lease: lease, outcome: .failed(reason: "busy", next: .zero, counts: true, wasOffline: false))
        ], at: now)
    default: try checkpoint()
    }
  }

  private mutating func add(to store: SQLiteOutboxStore) async throws {
    let rows = (0..<Int.random(in: 1...3, using: &random)).map { _ -> NewRow in
      last += 1
      // Some need many pages.
      let length = Int.random(in: 0..<8, using: &random) == 0 ? 20_000 : 100
      let content = Data("content \(last) ".utf8) + Data(repeating: UInt8(last % 251), count: length)
      return NewRow(
        id: OutboxID(rawValue: "row \(last)"), lane: last.isMultiple(of: 3) ? nil : "lane \(last % 2)",
        holdsLane: false, priority: 0, lifetime: nil, summary: Data("row \(last)".utf8), content: content,
        files: last.isMultiple(of: 4) ? ["file \(last)"] : [], size: Int64(content.count))
    }
    for row in rows { maybe[row.id] = Known(content: row.content, lane: row.lane) }
    _ = try await store.add(rows, within: OutboxCaps(), at: now)
    for row in rows {
      known[row.id] = maybe.removeValue(forKey: row.id)
      order.append(row.id)
    }
  }

  private mutating func deliver(on store: SQLiteOutboxStore) async throws {
    guard let lease = leases.popLast() else { return }
    known[lease.id]?.mayBeDelivered = true
    let finished = try await store.finish(
      [FinishedTry(lease: lease, outcome: .delivered(answer: Data("answer \(lease.id)".utf8)))], at: now)
    if finished[0].row == nil { violations.append("seed \(seed): \(lease.id) could not be delivered") }
    known[lease.id]?.isDelivered = true
  }

  /// As another program that has the file open may do at any time.
  private mutating func checkpoint() throws {
    let database = try Database(path: "/disk/outbox.sqlite", vfs: disk.name, busyTimeout: .zero)
    database.leaveAsItIs()
    database.checkpoint(truncating: Bool.random(using: &random))
    database.close()
  }

  // MARK: When it is back

  private mutating func check() async {
    let place = "seed \(seed), after cut \(cuts)"
    do {
      let store = try await open(as: MemoryOwner("who looks after cut \(cuts)"))
      let rows = try await store.rows(order)
      let contents = try await store.contents(of: order)
      for (id, (row, content)) in zip(order, zip(rows, contents)) {
        guard let one = known[id] else { continue }
        guard let row else {
          violations.append("\(place): \(id) is lost")
          continue
        }
        if one.isDelivered && row.state != .delivered {
          violations.append("\(place): that \(id) was delivered is forgotten")
        }
        if row.state == .delivered {
          if !one.mayBeDelivered { violations.append("\(place): \(id) counts as delivered, and is not") }
          if row.answer != Data("answer \(id)".utf8) { violations.append("\(place): \(id) lost its answer") }
          known[id]?.isDelivered = true
        } else if content != one.content {
          violations.append("\(place): \(id) has another content")
        }
      }
      let sequences = rows.compactMap { $0?.sequence }
      if sequences != sequences.sorted() { violations.append("\(place): the order is another one") }
      adopt(try await store.list(.all, after: 0, limit: .max))
      await store.close()
      try integrity(place)
    } catch {
      violations.append("\(place): \(error)")
    }
  }

  /// What nobody was told of may be there. From now on it has to be.
  private mutating func adopt(_ rows: [OutboxRow]) {
    for row in rows where known[row.id] == nil {
      guard let one = maybe[row.id] else {
        violations.append("seed \(seed): nobody has added \(row.id)")
        continue
      }
      known[row.id] = one
    }
    maybe = [:]
    order = rows.map(\.id) + order.filter { id in !rows.contains { $0.id == id } }
  }

  private mutating func integrity(_ place: String) throws {
    let database = try Database(path: "/disk/outbox.sqlite", vfs: disk.name, busyTimeout: .zero)
    defer { database.close() }
    let complaints = try database.all(sql: "PRAGMA integrity_check") { $0.text(0) ?? "?" }
    if complaints != ["ok"] { violations.append("\(place): \(complaints)") }
    let totals = try database.all(
      sql: """
        SELECT t.state FROM totals t WHERE (t.count, t.bytes) != (
          SELECT count(*), ifnull(sum(size), 0) FROM requests r WHERE r.state = t.state)
        """
    ) { $0.integer(0) }
    if !totals.isEmpty { violations.append("\(place): the counts of the states \(totals) are wrong") }
  }
}
