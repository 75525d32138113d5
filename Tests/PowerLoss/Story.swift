import ErrandCore
import ErrandOutbox
import ErrandTesting
import Foundation

/// A program with an outbox, as it is in production: its own thread, transactions that callers share, files beside them.
struct Story {
  let folder: URL
  /// Where the bodies are that it enqueues from.
  let sources: URL
  let key: OutboxKey?
  let first: Int
  /// Which start of the machine this is.
  let boot: String
  private(set) var random: SeededRandom

  init(in folder: URL, sources: URL, key: OutboxKey?, first: Int, boot: String, seed: UInt64) {
    (self.folder, self.sources, self.key, self.first, self.boot) = (folder, sources, key, first, boot)
    random = SeededRandom(seed: seed)
  }

  /// - Returns: The first number that nobody has used.
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

  /// All at once, so that they share transactions. What is told is told when `enqueue` has returned, and not before.
  private func enqueue(_ groups: [[Int]], in outbox: Outbox) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for numbers in groups {
        let items = try numbers.map { try Parcel($0).item(filesIn: sources) }
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
    guard let number = Parcel(event.id)?.number else { return }
    switch event.step {
    case .delivered: Knowledge.over(number, .delivered)
    case .setAside: Knowledge.over(number, .setAside)
    default: break
    }
  }

  private var client: Client {
    let busy = Locked<Set<Int>>([])
    return Client(
      transport: StubTransport { request in
        guard let parcel = Parcel(request) else { return .answer(status: 500) }
        if parcel.isRefused { return .answer(status: 422) }
        let isBusy = parcel.isBusyAtFirst && busy.withLock { $0.insert(parcel.number).inserted }
        return .answer(status: isBusy ? 503 : 200)
      })
  }

  static func open(
    _ folder: URL, _ key: OutboxKey?, _ client: Client, boot: String, delivers: Bool = true
  ) async throws -> Outbox {
    var configuration = OutboxConfiguration()
    configuration.time = {
      var now = StoreTime.now()
      now.boot = boot
      return now
    }
    configuration.key = key
    configuration.delivers = delivers
    configuration.reachability = nil
    configuration.delivery.backoff = .milliseconds(2)
    configuration.delivery.maxBackoff = .milliseconds(4)
    return try await Outbox(at: folder, client: client, configuration: configuration)
  }
}
