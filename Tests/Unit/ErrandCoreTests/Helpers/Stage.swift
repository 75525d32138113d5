import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A client with a stub transport and a clock that moves when a test advances it; the wall clock moves with
/// it.
struct Stage: Sendable {
  let clock: VirtualClock
  let stub: StubTransport
  let client: Client

  init(_ handler: @escaping StubTransport.Handler = { _ in .response() }) {
    self.init(configured: { _ in }, handler)
  }

  init(configured change: (inout ClientConfiguration) -> Void, _ handler: @escaping StubTransport.Handler) {
    let clock = VirtualClock()
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.random = SeededRandom(seed: 1)
    configuration.retry.backoff = .zero
    configuration.date = { Date(timeIntervalSince1970: 1_000_000 + clock.now.offset.seconds) }
    configuration.signerOrigins = ["http://a.test"].compactMap(URL.init)
    change(&configuration)
    self.clock = clock
    stub = StubTransport(clock: clock, handler)
    client = Client(transport: stub, configuration: configuration)
  }

  /// A configuration from which `responding` makes a stage.
  struct Configured {
    fileprivate let change: (inout ClientConfiguration) -> Void

    func responding(_ handler: @escaping StubTransport.Handler) -> Stage {
      Stage(configured: change, handler)
    }
  }

  static func configured(_ change: @escaping (inout ClientConfiguration) -> Void) -> Configured {
    Configured(change: change)
  }

  /// The paths of the sent requests, in order.
  var paths: [String] { stub.requests.map(\.url.path) }

  var load: SlotLoad { client.pipeline.slots.load }

  /// Returns when this many requests wait for a slot.
  func reachWaiting(_ count: Int) async {
    while load.waiting != count { await Task.yield() }
  }

  /// Returns when this many callers share this in-flight request.
  func reachSharing(_ count: Int, _ request: Request) async throws {
    let pipeline = client.pipeline
    let key = try key(request)
    while pipeline.coalescing.states.sharing.withLock({ $0.callers(of: key) }) != count {
      await Task.yield()
    }
  }

  /// The priority of the shared request.
  func sharedPriority(_ request: Request) throws -> Priority? {
    let key = try key(request)
    return client.pipeline.coalescing.states.sharing.withLock { $0.inFlightRequest(of: key) }?
      .effectivePriority.current
  }

  /// Returns when the shared request has this priority. A caller counts before its priority is followed.
  func reachSharedPriority(_ priority: Priority, _ request: Request) async throws {
    while try sharedPriority(request) != priority { await Task.yield() }
  }

  private func key(_ request: Request) throws -> RequestKey {
    let pipeline = client.pipeline
    let ready = try pipeline.ready(request)
    let context = pipeline.context(of: ready, into: .memory, progress: nil, canChange: false)
    return try pipeline.coalescing.key(ready, try #require(ready.options.repeats), context)
  }

  /// Returns when a sleep on the clock ends exactly this long from now.
  func reachSleep(of duration: Duration) async {
    while !clock.ends.contains(clock.now.advanced(by: duration)) { await Task.yield() }
  }

  /// Advances the clock until the client remembers no repeats and no task sleeps, even if a task begins to
  /// sleep late.
  func settle() async {
    while !client.pipeline.coalescing.states.isEmpty || clock.sleepers > 0 {
      await clock.advance(by: .seconds(10))
      await Task.yield()
    }
  }

  /// Returns when all slots are free and the stub is idle: interceptors have then released all requests that
  /// no caller waits for.
  func reachIdle() async {
    while load != SlotLoad() || stub.inFlight > 0 { await Task.yield() }
  }

  /// Returns when every call has ended, and checks that no slot and no transfer is left.
  func expectNothingLeft(_ location: SourceLocation = #_sourceLocation) async {
    await client.pipeline.inFlight.whenEmpty()
    #expect(client.pipeline.deadlines.count == 0, sourceLocation: location)
    #expect(load == SlotLoad(), sourceLocation: location)
    #expect(stub.inFlight == 0, sourceLocation: location)
  }
}

extension StubRequest {
  var path: String { url.path }
  var lastComponent: String { url.lastPathComponent }
}

extension Request {
  /// Returns the request with this many attempts, one right after the other.
  func attemptsAtOnce(_ count: Int) -> Request {
    var policy = RetryPolicy.attempts(count)
    policy.backoff = .zero
    return retry(policy)
  }

  var path: String? { url?.path }
  var lastComponent: String? { url?.lastPathComponent }
}

extension Result where Success == Response, Failure == any Error {
  /// The request error, if the result is one.
  var requestError: RequestError? {
    if case .failure(let error) = self { error as? RequestError } else { nil }
  }

  var text: String? { try? get().text }
}

extension ByteStream {
  /// So large that a stream buffers only one: the transfer waits until the first chunk is read.
  static let largeChunk = Data(count: 1 << 20)

  /// Reads the stream to its end. Returns the number of bytes.
  func readAll() async throws -> Int {
    var count = 0
    for try await chunk in self { count += chunk.count }
    return count
  }
}
