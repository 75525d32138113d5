import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import Foundation

/// A program with an outbox as in production: a dedicated thread, transactions that callers share, files
/// beside them.
struct Story {
  let folder: URL
  /// The folder of the bodies that it enqueues.
  let sources: URL
  let key: OutboxKey?
  let first: Int
  /// The boot ID of the machine.
  let boot: String
  private(set) var random: SeededRandom

  init(in folder: URL, sources: URL, key: OutboxKey?, first: Int, boot: String, seed: UInt64) {
    (self.folder, self.sources, self.key, self.first, self.boot) = (folder, sources, key, first, boot)
    random = SeededRandom(seed: seed)
  }

  /// Runs the program.
  /// - Returns: The first unused number.
  mutating func run() async throws -> Int {
    var next = first
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let outbox = try await Self.open(folder, key, client, boot: boot)
      let events = outbox.events
      let listener = Task { for await event in events { Self.tell(event) } }
      var groups: [[Int]] = []
      for _ in 0..<Int.random(in: 3...7, using: &random) {
        let count = Bool.random(using: &random) ? 1 : Int.random(in: 2...4, using: &random)
        groups.append(Array(next..<next + count))
        next += count
      }
      try await enqueue(groups, in: outbox)
      if Bool.random(using: &random) { try await outbox.waitUntilEmpty() }
      await outbox.close()
      await listener.value
    }
    return next
  }

  /// Enqueues all groups concurrently, so that they share transactions. A group is reported as stored only
  /// after `enqueue` has returned.
  private func enqueue(_ groups: [[Int]], in outbox: Outbox) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for numbers in groups {
        let items = try numbers.map { try TestRequest($0).item(filesIn: sources) }
        tasks.addTask {
          Knowledge.storing(numbers)
          try await outbox.enqueue(items)
          Knowledge.stored(numbers)
        }
      }
      try await tasks.waitForAll()
    }
  }

  private static func tell(_ event: OutboxEvent) {
    guard let number = TestRequest(event.id)?.number else { return }
    switch event.step {
    case .delivered: Knowledge.over(number, .delivered)
    case .deadLettered: Knowledge.over(number, .deadLettered)
    default: break
    }
  }

  private var client: Client {
    let busy = Locked<Set<Int>>([])
    return Client(
      transport: StubTransport { request in
        guard let expected = TestRequest(request) else { return .response(status: 500) }
        if expected.isRefused { return .response(status: 422) }
        let isBusy = expected.isBusyAtFirst && busy.withLock { $0.insert(expected.number).inserted }
        return .response(status: isBusy ? 503 : 200)
      })
  }

  static func open(
    _ folder: URL, _ key: OutboxKey?, _ client: Client, boot: String, delivers: Bool = true
  ) async throws -> Outbox {
    var configuration = OutboxConfiguration()
    configuration.key = key
    configuration.delivers = delivers
    configuration.reachability = nil
    configuration.delivery.backoff = .milliseconds(2)
    configuration.delivery.maxBackoff = .milliseconds(4)
    var setup = StoreSetup()
    setup.time = {
      var now = StoreTime.now()
      now.boot = boot
      return now
    }
    return try await Outbox(at: folder, client: client, configuration: configuration, setup: setup)
  }
}
