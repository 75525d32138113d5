import ErrandReachability
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore
@testable import ErrandStreaming

/// Event streams over a stub, in virtual time.
@Suite struct EventStreamTests {
  private static let url = "http://a.test/events"
  private static let fields: HTTPFields = ["Content-Type": "text/event-stream; charset=utf-8"]

  private static func open(_ chunks: String...) -> StubStep {
    .response(fields: fields, chunks: chunks.map { Data($0.utf8) })
  }

  private static let end = StubStep.response(status: 204)

  /// A client of a stub that plays a script, and what its stream has reported.
  private struct Stage: Sendable {
    let clock = VirtualClock()
    let stub: StubTransport
    let client: Client
    let reconnections = Reports()
    var options = EventStreamOptions()

    init(_ script: [StubStep], configure: (inout ClientConfiguration) -> Void = { _ in }) {
      stub = StubTransport(clock: clock, script)
      var configuration = ClientConfiguration()
      configuration.clock = clock
      configuration.random = Constant()
      configure(&configuration)
      client = Client(transport: stub, configuration: configuration)
      options.reachability = nil
      options.onReconnection = { [reconnections] in reconnections.add($0) }
    }

    func events(_ request: Request = .get(url), after id: String? = nil, in scope: RequestScope? = nil)
      -> some AsyncSequence<ServerSentEvent, any Error> & Sendable
    {
      client.events(request, after: id, options: options, in: scope)
    }

    /// Reads the stream to its end, while time passes.
    func all(_ request: Request = .get(url), after id: String? = nil) async throws -> [String] {
      let events = events(request, after: id)
      let task = Task {
        var found: [String] = []
        for try await event in events { found.append(event.data) }
        return found
      }
      let time = Task {
        while !Task.isCancelled {
          try await clock.waitForSleepers()
          await clock.advance(by: .milliseconds(500))
        }
      }
      defer { time.cancel() }
      return try await task.value
    }

    var delays: [Duration] { reconnections.all.map(\.delay) }
    var lastIDs: [String?] { stub.requests.map { $0.fields["Last-Event-ID"] } }
  }

  private final class Reports: Sendable {
    private let reports = Locked<[EventReconnection]>([])
    var all: [EventReconnection] { reports.withLock(\.self) }
    func add(_ report: EventReconnection) { reports.withLock { $0.append(report) } }
  }

  /// Gives 0 to `Double.random(in: 0..<1)`.
  private struct Constant: RandomNumberGenerator { mutating func next() -> UInt64 { 0 } }

  @Test func `events of several connections are one sequence, and each goes on after the last id`()
    async throws
  {
    let stage = Stage([
      Self.open("id: 1\ndata: a\n\nid: 2\nda", "ta: b\n\nid: 3\ndata: lost"), Self.open("data: c\n\n"),
      .fail(.connectionLost), Self.open("id\ndata: d\n\n"), Self.open(), Self.end,
    ])
    #expect(try await stage.all() == ["a", "b", "c", "d"])
    #expect(stage.lastIDs == [nil, "2", "2", "2", nil, nil])
    let first = stage.stub.requests[0]
    #expect(first.fields["Accept"] == "text/event-stream" && first.fields["Cache-Control"] == "no-store")
    #expect(stage.reconnections.all.map { $0.error?.code } == [nil, nil, .connectionLost, nil, nil])
    #expect(stage.reconnections.all.map(\.attempt) == [1, 1, 2, 1, 2])
  }

  @Test func `a stream begins after the id that the caller knows`() async throws {
    let stage = Stage([Self.open("data: a\n\n"), Self.end])
    #expect(try await stage.all(after: "41") == ["a"])
    #expect(stage.lastIDs == ["41", "41"])
  }

  @Test(arguments: ["a\u{1}", "a\u{7F}", String(repeating: "x", count: 5000)])
  func `a stream continues after the last id that can be sent`(_ id: String) async throws {
    let stage = Stage([
      Self.open("id: 7\ndata: a\n\nid: \(id)\ndata: b\n\n"), Self.open("data: c\n\n"),
      Self.open("id: 9\ndata: d\n\n"),
      Self.end,
    ])
    #expect(try await stage.all() == ["a", "b", "c", "d"])
    #expect(stage.lastIDs == [nil, "7", "7", "9"])
  }

  @Test func `the server's retry sets the wait, and fruitless connections double it`() async throws {
    let lost = StubStep.fail(.connectionLost)
    let stage = Stage([
      Self.open("data: a\n\n"), Self.open("retry: 4000\ndata: b\n\n"), lost, lost, lost, lost, lost,
      Self.open("retry: 0\n\n"), lost, Self.open("data: c\n\n"), Self.end,
    ])
    #expect(try await stage.all() == ["a", "b", "c"])
    #expect(
      stage.delays == [1, 4, 8, 16, 30, 30, 30, 30, 30].map { Duration.seconds($0) } + [.milliseconds(100)])
  }

  @Test func `a server in trouble is asked again, after its Retry-After`() async throws {
    let stage = Stage([
      .response(status: 503, fields: ["Retry-After": "7"]),
      .response(status: 429, fields: ["Retry-After": "100000"]),
      .response(status: 502), Self.open("data: a\n\n"), Self.end,
    ])
    #expect(try await stage.all() == ["a"])
    #expect(stage.delays == [7, 600, 4, 1].map { Duration.seconds($0) })
  }

  @Test(arguments: [
    (StubStep.response(status: 404), RequestError.Code.rejected),
    (.response(fields: ["Content-Type": "text/html"], body: "data: a\n\n"), .rejected),
    (.response(body: "data: a\n\n"), .rejected), (.fail(.untrustedCertificate), .untrustedCertificate),
    (Self.open("data: " + String(repeating: "x", count: 1000)), .bodyTooLarge),
  ])
  func `other failures end the stream`(step: StubStep, code: RequestError.Code) async throws {
    var stage = Stage([step])
    stage.options.limit = 500
    let error = await #expect(throws: RequestError.self) { try await stage.all() }
    #expect(error?.code == code && stage.stub.requests.count == 1)
    var events = stage.events().makeAsyncIterator()
    _ = try? await events.next()
    #expect(try await events.next() == nil)
  }

  @Test func `the stream of a POST is not repeated unless the caller wants it`() async throws {
    let post = Request.post(Self.url, .text("question"))
    let stage = Stage([Self.open("data: a\n\n")])
    #expect(try await stage.all(post) == ["a"])
    let broken = Stage([.fail(.connectionLost)])
    let error = await #expect(throws: RequestError.self) { try await broken.all(post) }
    #expect(error?.code == .connectionLost)
    // Nothing has arrived, so nothing is doubled.
    let refused = Stage([.fail(.cannotConnect, reachedServer: false), Self.open("data: a\n\n")])
    #expect(try await refused.all(post) == ["a"])
    var repeating = Stage([
      Self.open("data: a\n\n"), .fail(.connectionLost), Self.open("data: b\n\n"), Self.end,
    ])
    repeating.options.repeatsUnsafeRequests = true
    #expect(try await repeating.all(post) == ["a", "b"])
    #expect(repeating.stub.requests.allSatisfy { $0.text == "question" })
  }

  @Test func `a POST with a key is sent again until its stream begins`() async throws {
    let post = Request.post(Self.url, .text("question")).idempotencyKey("question-1")
    let busy = Stage([
      .response(status: 429, fields: ["Retry-After": "7"]), .fail(.connectionLost), Self.open("data: a\n\n"),
    ])
    #expect(try await busy.all(post) == ["a"])
    #expect(busy.delays.first == .seconds(7))
    // Three attempts are enough.
    let down = Stage([.response(status: 503)])
    let error = await #expect(throws: RequestError.self) { try await down.all(post) }
    #expect(error?.status == 503 && down.stub.requests.count == 3)
    // Connections that the server refused do not count.
    let away = StubStep.fail(.cannotConnect, reachedServer: false)
    let slow = Stage([away, away, away, .response(status: 503), Self.open("data: a\n\n")])
    #expect(try await slow.all(post) == ["a"])
    // A body that can be read once is not sent again, and the server's response is the outcome.
    let once = Request.post(Self.url, .stream(AsyncStream<Data> { $0.finish() }, length: 0)).idempotencyKey(
      "question-2")
    let single = Stage([.response(status: 503)])
    let outcome = await #expect(throws: RequestError.self) { try await single.all(once) }
    #expect(outcome?.status == 503)
    // A stream that broke off is not requested again.
    let broken = Stage([Self.open("data: a\n\n"), Self.open("data: b\n\n")])
    #expect(try await broken.all(post) == ["a"])
    #expect(broken.stub.requests.count == 1)
    // A refused request is not sent again.
    let refused = Stage([.response(status: 400), Self.open("data: a\n\n")])
    await #expect(throws: RequestError.self) { try await refused.all(post) }
    #expect(refused.stub.requests.count == 1)
  }

  @Test func `silence for longer than the heartbeat is a reason to connect again`() async throws {
    var stage = Stage([.stall, Self.open("data: a\n\n"), Self.end])
    stage.options.heartbeat = .seconds(20)
    #expect(try await stage.all() == ["a"])
    #expect(stage.stub.requests[0].timeout == .seconds(20))
    #expect(stage.reconnections.all[0].error?.code == .timedOut)
    stage = Stage([Self.end])
    stage.options.heartbeat = nil
    _ = try await stage.all()
    #expect(stage.stub.requests[0].timeout > .seconds(1_000_000_000))
  }

  @Test func `an error of the listener ends the stream`() async throws {
    struct Enough: Error {}
    var stage = Stage([.fail(.cannotConnect)])
    stage.options.onReconnection = { if $0.attempt == 3 { throw Enough() } }
    await #expect(throws: Enough.self) { try await stage.all() }
    #expect(stage.stub.requests.count == 3)
  }

  @Test func `the stream reconnects at once when the network comes back`() async throws {
    let network = ManualReachability(.offline)
    var stage = Stage([.fail(.cannotConnect), Self.open("data: a\n\n"), Self.end])
    stage.options.reachability = network
    let first = Task { [events = stage.events()] in
      for try await event in events { return event.data }
      return ""
    }
    while stage.reconnections.all.isEmpty { await Task.yield() }
    try await stage.clock.waitForSleepers()
    network.set(.online)
    #expect(try await first.value == "a")
    #expect(stage.clock.now.offset == .zero)
  }

  @Test func `a cancelled task, an ended scope and a newer stream end it, also while it waits`() async throws
  {
    let stage = Stage([Self.open("data: a\n\n"), .fail(.connectionLost)])
    let scope = RequestScope("page")
    let newer = Locked<[Call]>([])
    let ends: [(Task<Void, any Error>) -> Void] = [
      { $0.cancel() }, { _ in scope.cancelAll() },
      { [client = stage.client] _ in
        let call = client.start(.get("http://a.test/new").latest("news"))
        newer.withLock { $0.append(call) }
      },
    ]
    for end in ends {
      let events = stage.events(.get(Self.url).latest("news"), in: scope)
      let seen = stage.reconnections.all.count
      let task = Task { for try await _ in events {} }
      while stage.reconnections.all.count == seen { await Task.yield() }
      end(task)
      let error = await #expect(throws: RequestError.self) { try await task.value }
      #expect(error?.isCancellation == true)
    }
    for call in newer.withLock(\.self) { call.cancel() }
  }

  @Test func `streams take no slots, and have a limit of their own`() async throws {
    let stage = Stage([.stall]) {
      $0.limits = ConcurrencyLimits(total: 1, perOrigin: 1)
      $0.limits.eventStreams = 2
    }
    func stream() -> Task<Void, any Error> {
      Task { [events = stage.events()] in for try await _ in events {} }
    }
    var streams = [stream(), stream()]
    try await stage.stub.waitForRequests(2)
    streams.append(stream())
    while stage.client.pipeline.subscriptionSlots.load.waiting == 0 { await Task.yield() }
    let other = stage.client.start(.get("http://a.test/other"))
    try await stage.stub.waitForRequests(3)
    #expect(stage.stub.requests.map(\.url.path).sorted() == ["/events", "/events", "/other"])
    other.cancel()
    streams[0].cancel()
    try await stage.stub.waitForRequests(4)
    // A shutdown does not wait for streams.
    await stage.client.shutdown()
    for stream in streams { await #expect(throws: RequestError.self) { try await stream.value } }
  }

  private final class Numbering: Interceptor {
    private let last = Locked(0)

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let number = last.withLock { last in
        last += 1
        return last
      }
      return try await next(request.field("Authorization", "Bearer \(number)"))
    }
  }

  @Test func `each connection is authenticated anew`() async throws {
    let stage = Stage([Self.open("data: a\n\n"), Self.open("data: b\n\n"), Self.end]) {
      $0.interceptors = [Numbering()]
    }
    #expect(try await stage.all() == ["a", "b"])
    #expect(stage.stub.requests.map { $0.fields["Authorization"] } == ["Bearer 1", "Bearer 2", "Bearer 3"])
  }

  @Test func `an iterator that is released ends its call`() async throws {
    let stage = Stage([.response(fields: Self.fields, chunks: [Data("data: a\n\n".utf8)])])
    do {
      var events = stage.events().makeAsyncIterator()
      #expect(try await events.next()?.data == "a")
      #expect(stage.client.pipeline.subscriptions.count == 1)
    }
    #expect(stage.client.pipeline.subscriptions.count == 0)
    #expect(stage.client.pipeline.subscriptionSlots.load.running == 0)
  }

  @Test func `the deadline of the request counts for the whole stream, and that of the client does not`()
    async throws
  {
    let stage = Stage([Self.open("data: a\n\n"), .fail(.connectionLost)]) { $0.deadline = .seconds(2) }
    let error = await #expect(throws: RequestError.self) {
      try await stage.all(.get(Self.url).deadline(.seconds(60)))
    }
    #expect(error?.code == .deadlineExceeded && stage.stub.requests.count > 4)
  }
}
