import ErrandCore
import ErrandOutbox
import ErrandTesting
import Foundation

/// Opens the outbox that a power loss left, and compares it with its reports before the loss.
struct Examination {
  /// The boot ID after the power loss.
  private static let boot = "after"

  private let folder: URL
  private let key: OutboxKey?
  private let knowledge: Knowledge
  private(set) var violations: [String] = []

  init(_ folder: URL, _ key: OutboxKey?, _ knowledge: Knowledge) {
    (self.folder, self.key, self.knowledge) = (folder, key, knowledge)
  }

  mutating func run() async {
    let arrivals = Locked<[Int: Bool]>([:])
    let client = Client(
      transport: StubTransport { request in
        guard let expected = TestRequest(request) else { return .response(status: 500) }
        arrivals.withLock { $0[expected.number] = expected.isWhole(request.body) }
        return .response(status: expected.isRefused ? 422 : 200)
      })
    if key != nil, !knowledge.stored.isEmpty { await tryAnotherKey(client) }
    do {
      let outbox = try await Story.open(folder, key, client, boot: Self.boot, delivers: false)
      let found = try await list(outbox)
      compare(found)
      outbox.deliver()
      if await !isEmpty(outbox) { violations.append("the outbox does not finish") }
      let states = try await list(outbox)
      let counts = try await outbox.statistics().counts
      for (state, entries) in Dictionary(grouping: states.values, by: \.self)
      where counts[state, default: 0] != entries.count {
        violations.append("\(entries.count) are \(state), and \(counts[state, default: 0]) are counted")
      }
      compare(arrivals.withLock { $0 }, states, before: found)
      await outbox.close()
    } catch {
      violations.append("\(error)")
    }
    integrity()
  }

  /// Checks that an outbox encrypted with one key cannot be opened with another.
  private mutating func tryAnotherKey(_ client: Client) async {
    do {
      let other = try OutboxKey(Data(repeating: 8, count: 32))
      await (try Story.open(folder, other, client, boot: Self.boot, delivers: false)).close()
      violations.append("the outbox can be opened with another key")
    } catch let error as OutboxError where error.code == .wrongKey {
      return
    } catch {
      violations.append("another key is refused with \(error)")
    }
  }

  private func list(_ outbox: Outbox) async throws -> [Int: OutboxState] {
    var states: [Int: OutboxState] = [:]
    var last: Int64 = 0
    while let page = Optional(try await outbox.list(after: last)), let end = page.last {
      for entry in page { states[TestRequest(entry.id)?.number ?? -1] = entry.state }
      last = end.sequence
    }
    return states
  }

  private mutating func compare(_ found: [Int: OutboxState]) {
    for number in knowledge.stored.sorted() where found[number] == nil {
      violations.append("request \(number) is lost")
    }
    for (number, state) in knowledge.outcomes where found[number] != state {
      violations.append("request \(number) was \(state), and is \(found[number]?.description ?? "not there")")
    }
    for group in knowledge.groups {
      let count = group.count { found[$0] != nil }
      if count != 0 && count != group.count {
        violations.append("only a part of the group \(group) is stored")
      }
    }
    let begun = Set(knowledge.groups.joined())
    for number in found.keys where !begun.contains(number) {
      violations.append("request \(number) was never enqueued")
    }
  }

  private mutating func compare(
    _ arrivals: [Int: Bool], _ states: [Int: OutboxState], before: [Int: OutboxState]
  ) {
    for (number, isWhole) in arrivals {
      if !isWhole { violations.append("request \(number) arrived with a different body") }
      if before[number] == .delivered { violations.append("request \(number) was delivered, and sent again") }
    }
    for (number, state) in states {
      let expected = TestRequest(number).isRefused ? OutboxState.deadLettered : .delivered
      if state != expected { violations.append("request \(number) is \(state) at the end") }
    }
  }

  /// Returns false if emptying takes too long, which means that a request waits forever after the power loss.
  private func isEmpty(_ outbox: Outbox) async -> Bool {
    await withTaskGroup(of: Bool.self) { tasks in
      tasks.addTask { (try? await outbox.waitUntilEmpty()) != nil }
      tasks.addTask {
        try? await Task.sleep(for: .seconds(20))
        return false
      }
      defer { tasks.cancelAll() }
      return await tasks.next() ?? false
    }
  }

  private mutating func integrity() {
    let path = folder.appending(path: "outbox.sqlite").path
    if let complaint = IntegrityCheck.complaint(path) { violations.append("the database: \(complaint)") }
  }
}
