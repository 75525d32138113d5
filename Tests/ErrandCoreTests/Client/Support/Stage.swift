import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A client over a stub, and a clock that moves when it is told to; the date goes with it.
struct Stage: Sendable {
  let clock: VirtualClock
  let stub: StubTransport
  let client: Client

  init(_ handler: @escaping StubTransport.Handler = { _ in .answer() }) {
    self.init(configured: { _ in }, handler)
  }

  init(configured change: (inout ClientConfiguration) -> Void, _ handler: @escaping StubTransport.Handler) {
    let clock = VirtualClock()
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.random = SeededRandom(seed: 1)
    configuration.retry.backoff = .zero
    configuration.date = { Date(timeIntervalSince1970: 1_000_000 + clock.now.offset.seconds) }
    change(&configuration)
    self.clock = clock
    stub = StubTransport(clock: clock, handler)
    client = Client(transport: stub, configuration: configuration)
  }

  /// What it is made with, for `answering`.
  struct Configured {
    fileprivate let change: (inout ClientConfiguration) -> Void

    func answering(_ handler: @escaping StubTransport.Handler) -> Stage { Stage(configured: change, handler) }
  }

  static func configured(_ change: @escaping (inout ClientConfiguration) -> Void) -> Configured {
    Configured(change: change)
  }

  /// The paths that were asked, in order.
  var paths: [String] { stub.requests.map(\.url.path) }

  var load: SlotLoad { client.pipeline.slots.load }

  /// Returns when so many wait for a slot.
  func reachWaiting(_ count: Int) async {
    while load.waiting != count { await Task.yield() }
  }

  /// Returns when so many share this request's flight.
  func reachSharing(_ count: Int, _ request: Request) async throws {
    let pipeline = client.pipeline
    let ready = try pipeline.ready(request)
    let key = try pipeline.key(ready, try #require(ready.options.repeats))
    while pipeline.repeats.states.sharing.withLock({ $0.callers(of: key) }) != count { await Task.yield() }
  }

  /// Returns when somebody sleeps who wakes after so long from now.
  func reachSleep(of duration: Duration) async {
    while !clock.ends.contains(clock.now.advanced(by: duration)) { await Task.yield() }
  }

  /// Returns when nothing is remembered any more and nobody sleeps, however late they began to.
  func settle() async {
    while !client.pipeline.repeats.states.isEmpty || clock.sleepers > 0 {
      clock.advance(by: .seconds(10))
      await Task.yield()
    }
  }

  /// Returns when interceptors have let go of what nobody waits for any more.
  func reachIdle() async {
    while load != SlotLoad() || stub.inFlight > 0 { await Task.yield() }
  }

  /// Returns when every call has ended, and checks that none left anything behind.
  func expectNothingLeft(_ location: SourceLocation = #_sourceLocation) async {
    await client.pipeline.inFlight.whenEmpty()
    #expect(load == SlotLoad(), sourceLocation: location)
    #expect(stub.inFlight == 0, sourceLocation: location)
  }
}

extension StubRequest {
  var path: String { url.path }
  var lastComponent: String { url.lastPathComponent }
}

extension Request {
  /// So many tries, one right after the other.
  func triesAtOnce(_ count: Int) -> Request {
    var policy = RetryPolicy.tries(count)
    policy.backoff = .zero
    return retry(policy)
  }

  var path: String? { url?.path }
  var lastComponent: String? { url?.lastPathComponent }
}

extension Result where Success == Response, Failure == any Error {
  /// What went wrong, if anything did.
  var requestError: RequestError? {
    if case .failure(let error) = self { error as? RequestError } else { nil }
  }

  var text: String? { try? get().text }
}

extension ByteStream {
  /// So large that a stream holds no second one: the transfer waits until it is read.
  static let largeChunk = Data(count: 1 << 20)

  /// Reads it to its end; returns how many bytes came.
  func readAll() async throws -> Int {
    var count = 0
    for try await chunk in self { count += chunk.count }
    return count
  }
}
