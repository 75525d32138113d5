import BenchmarkSupport
import CAllocator
@_spi(Benchmarks) import ErrandCore
import ErrandTesting

/// Sends many different requests in scopes that come and go, alternately with a window of sharing and of
/// ignoring repeats. Then it measures the memory that remains after the windows. The time is virtual, so that
/// all requests are remembered at once before that.
struct Forgetting {
  let requests: Int
  private static let window = Duration.seconds(60)
  private static let tasks = 4
  private static let perPage = 100

  private let clock = VirtualClock()
  private let client: Client
  private let app = RequestScope("app")

  init(requests: Int) {
    self.requests = requests
    var configuration = ClientConfiguration()
    configuration.clock = clock
    let transport = GatedTransport()
    transport.gate.open()
    client = Client(transport: transport, configuration: configuration)
  }

  func report() async throws {
    // This allocates memory that is allocated only once, before the measurement.
    try await send(10_000)
    await endWindows()
    let before = Held(client, app)
    try await send(requests)
    let full = Held(client, app)
    await endWindows()
    let after = Held(client, app)
    print(
      "\(requests) requests with different keys, shared or ignored in windows of \(Self.window), in scopes")
    print("  \("".left(28))" + Held.columns)
    print("  \("before".left(28))" + before.text)
    print("  \("in their windows".left(28))" + full.text)
    print("  \("after all windows".left(28))" + after.text)
    print("  \("remaining".left(28))" + after.since(before) + "  (at most 5.0)")
  }

  private func send(_ count: Int) async throws {
    try await withThrowingTaskGroup { group in
      for task in 0..<Self.tasks {
        group.addTask {
          for page in 0..<count / Self.tasks / Self.perPage { try await show("\(task)/\(page)") }
        }
      }
      try await group.waitForAll()
    }
  }

  private func show(_ page: String) async throws {
    let scope = RequestScope(page, in: app)
    for number in 0..<Self.perPage {
      let request = Request.get("http://127.0.0.1/\(page)/\(number)")
      try await client.send(
        number % 2 == 0 ? request.shared(within: Self.window) : request.ignoringRepeats(within: Self.window),
        in: scope)
      await clock.advance(by: .microseconds(20))
    }
  }

  private func endWindows() async {
    let probe = ClientProbe(client)
    for _ in 0..<1000 where probe.remembered > 0 {
      await clock.advance(by: Self.window)
    }
    allocator_trim()
  }
}
