import CDiskTrace
import CrashCourse
import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxPostgres
import ErrandOutboxSQLite
import ErrandTesting
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A process with an outbox.
struct Worker: Sendable {
  private let orders: WorkerOrders
  private let outgoing: URL

  init(_ orders: WorkerOrders) {
    self.orders = orders
    outgoing = URL(filePath: orders.folder + "-outgoing", directoryHint: .isDirectory)
  }

  func work() async throws {
    watchPlaces()
    let outbox = try await open()
    Self.say("open")
    try FileManager.default.createDirectory(at: outgoing, withIntermediateDirectories: true)
    if orders.uploads {
      try await outbox.enqueue(orders.numbers.map { TestUpload($0).item(to: orders.server) })
    } else {
      try await enqueueAll(outbox)
    }
    try await outbox.waitUntilEmpty()
    if orders.isTalkative { try await tell(outbox) }
    await outbox.close()
    Self.say("done")
  }

  private func enqueueAll(_ outbox: Outbox) async throws {
    // Two tasks enqueue at once, so that transactions are shared.
    let middle = (orders.numbers.lowerBound + orders.numbers.upperBound) / 2
    async let first: Void = enqueue(orders.numbers.lowerBound..<middle, outbox)
    async let second: Void = enqueue(middle..<orders.numbers.upperBound, outbox)
    _ = try await (first, second)
  }

  private func open() async throws -> Outbox {
    #if Postgres
      if let (url, schema) = orders.database {
        var settings = PostgresSettings()
        settings.schema = schema
        settings.absence = .seconds(2)
        let store = try await PostgresOutboxStore(url, settings: settings)
        return try await Outbox(store: store, client: client, configuration: configuration())
      }
    #endif
    return try await Outbox(
      at: URL(filePath: orders.folder, directoryHint: .isDirectory), client: client,
      configuration: configuration())
  }

  /// Enqueues in groups of one to four; each is reported as accepted only after `enqueue` has returned.
  private func enqueue(_ numbers: Range<Int>, _ outbox: Outbox) async throws {
    var rest = numbers
    var random = SeededRandom(seed: orders.seed &+ UInt64(numbers.lowerBound))
    while !rest.isEmpty {
      let size = min(Bool.random(using: &random) ? 1 : Int.random(in: 2...4, using: &random), rest.count)
      let group = rest.lowerBound...rest.lowerBound + size - 1
      rest = rest.dropFirst(size)
      var files: [URL] = []
      let items = try group.map { number in
        let request = TestRequest(number)
        let file = outgoing.appending(path: "\(number)")
        if request.needsFile {
          try request.payload.write(to: file)
          files.append(file)
        }
        return request.item(to: orders.server, file: file, group: group)
      }
      let receipts = try await outbox.enqueue(items)
      for (number, receipt) in zip(group, receipts) { Self.say("accepted \(number) \(receipt.id)") }
      // The outbox has copies of the files.
      for file in files { try FileManager.default.removeItem(at: file) }
    }
  }

  private func tell(_ outbox: Outbox) async throws {
    var last: Int64 = 0
    while true {
      let page = try await outbox.list(after: last)
      guard let end = page.last else { return }
      for entry in page {
        let number = entry.url.split(separator: "/").last ?? "?"
        Self.say("entry \(number) \(entry.state) \(entry.idempotencyKey)")
      }
      last = end.sequence
    }
  }

  // MARK: Configuration

  private var client: Client {
    var configuration = ClientConfiguration()
    configuration.timeout = .milliseconds(orders.attemptLimit)
    configuration.attemptInterceptors = [Signature()]
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  private func configuration() throws -> OutboxConfiguration {
    var configuration = OutboxConfiguration()
    configuration.delivery.backoff = .milliseconds(10)
    configuration.delivery.maxBackoff = .milliseconds(50)
    configuration.delivery.maxAttempts = orders.maxAttempts
    configuration.lease = .milliseconds(orders.lease)
    configuration.pollInterval = .milliseconds(500)
    if !orders.watchesNetwork { configuration.reachability = nil }
    configuration.concurrency = 8
    if orders.seals { configuration.key = try OutboxKey(Data(repeating: 7, count: 32)) }
    return configuration
  }

  // MARK: The end

  private func watchPlaces() {
    if case .change(let count) = orders.end {
      Self.say("ends at a change of a file")
      errand_trace_die(orders.folder, Int64(count))
    }
    let passed = Locked<(all: Int, same: Int)>((0, 0))
    Failpoint.watch { [orders] place in
      if orders.isTalkative { Self.say("place \(place.rawValue)") }
      let isEnd = passed.withLock { passed in
        passed.all += 1
        switch orders.end {
        case .done, .change: return false
        case .anyPlace(let count): return passed.all == count
        case .place(let wanted, let count):
          if place == wanted { passed.same += 1 }
          return place == wanted && passed.same == count
        }
      }
      guard isEnd else { return }
      Self.say("ends at \(place.rawValue)")
      kill(getpid(), SIGKILL)
      // The process must take no further step.
      while true { pause() }
    }
  }

  /// Writes a line without buffering, so that nothing is lost when the process is killed.
  static func say(_ line: String) {
    var bytes = Array((line + "\n").utf8)
    _ = write(1, &bytes, bytes.count)
  }
}

/// Adds the process's ID to each attempt.
private struct Signature: Interceptor {
  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    try await next(request.field(TestRequest.senderField, "\(getpid())"))
  }
}
