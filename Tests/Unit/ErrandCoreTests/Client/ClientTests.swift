import ErrandTesting
import Foundation
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// Tests the whole chain from `send` to the transport, in virtual time.
@Suite struct ClientTests {
  private let clock = VirtualClock()
  private let url = "http://stub.test/"

  private func client(
    _ stub: StubTransport, _ change: (inout ClientConfiguration) -> Void = { _ in }
  ) -> Client {
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.random = SeededRandom(seed: 1)
    configuration.date = { Date(timeIntervalSince1970: 784_111_777) }
    change(&configuration)
    return Client(transport: stub, configuration: configuration)
  }

  @Test func `a call makes three attempts with growing waits, and throws the last error`() async throws {
    let stub = StubTransport(clock: clock, [.fail(.connectionLost)])
    let client = client(stub)
    let error = await #expect(throws: RequestError.self) {
      try await clock.run { try await client.send(.get(url)) }
    }
    #expect(error?.code == .connectionLost)
    #expect(error?.attempt == 3)
    #expect(error?.description.contains("GET http://stub.test/") == true)
    #expect(error?.description.contains("(attempt 3)") == true)
    #expect(stub.requests.count == 3)
    #expect(clock.now.offset > .zero)
    #expect(clock.now.offset <= .milliseconds(500 + 1000))
  }

  @Test func `Retry-After sets the wait, in seconds and as a date`() async throws {
    let stub = StubTransport(
      clock: clock,
      [
        .response(status: 503, fields: ["Retry-After": "7"]),
        .response(status: 429, fields: ["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"]),
        .response(body: "done"),
      ])
    let client = client(stub) {
      $0.retry.backoff = .zero
    }
    let response = try await clock.run { try await client.send(.get(url)) }
    #expect(response.text == "done")
    #expect(response.timing.attempts == 3)
    #expect(clock.now.offset == .seconds(7 + 10))
    #expect(response.timing.queue == .seconds(17))
  }

  @Test func `a POST is retried only if nothing reached the server, or if it has an idempotency key`()
    async throws
  {
    func attempts(_ request: Request, _ step: StubStep) async -> Int {
      let stub = StubTransport(clock: clock, [step])
      let client = client(stub)
      await #expect(throws: RequestError.self) { try await clock.run { try await client.send(request) } }
      return stub.requests.count
    }
    let post = Request.post(url, .text("x"))
    #expect(await attempts(post, .fail(.connectionLost)) == 1)
    #expect(await attempts(post, .response(status: 503)) == 1)
    #expect(await attempts(post, .fail(.cannotConnect, reachedServer: false)) == 3)
    #expect(await attempts(post.idempotencyKey("k"), .fail(.connectionLost)) == 3)
    #expect(await attempts(post.idempotencyKey("k"), .response(status: 503)) == 3)
    #expect(await attempts(.get(url).bestEffort(), .fail(.connectionLost)) == 1)
  }

  @Test func `the budget bounds the retries of all calls together`() async throws {
    let stub = StubTransport(clock: clock, [.fail(.connectionLost)])
    let client = client(stub) {
      $0.retryBudget = RetryBudget(ratio: 0.1, minimumPerSecond: 0)
      $0.retry.backoff = .zero
    }
    for _ in 0..<200 { _ = try? await clock.run { try await client.send(.get(url)) } }
    #expect(stub.requests.count == 220)
  }

  @Test func `the deadline ends a call during an attempt`() async throws {
    let stub = StubTransport(clock: clock, [.stall])
    let client = client(stub)
    let request = Request.get(url).timeout(.seconds(100)).deadline(.seconds(3))
    let task = Task { try await client.send(request) }
    try await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(3))
    let error = await #expect(throws: RequestError.self) { try await task.value }
    #expect(error?.code == .deadlineExceeded)
    #expect(error?.isCancellation == false)
    #expect(clock.now.offset == .seconds(3))
    #expect(stub.inFlight == 0)
  }

  @Test func `a wait that would pass the deadline is not started`() async throws {
    let stub = StubTransport(clock: clock, [.response(status: 503, fields: ["Retry-After": "10"])])
    let client = client(stub)
    let error = await #expect(throws: RequestError.self) {
      try await client.send(.get(url).deadline(.seconds(5)))
    }
    #expect(error?.status == 503)
    #expect(clock.now.offset == .zero)
  }

  @Test func `a timed-out attempt is retried, and each attempt has the full time-out`() async throws {
    let stub = StubTransport(clock: clock, [.stall, .response(body: "at last")])
    let client = client(stub) { $0.retry.backoff = .zero }
    let response = try await clock.run { try await client.send(.get(url)) }
    #expect(response.timing.attempts == 2)
    #expect(clock.now.offset == .seconds(10))
  }

  @Test func `a call can be cancelled while it waits for its next attempt`() async throws {
    let stub = StubTransport(clock: clock, [.response(status: 503, fields: ["Retry-After": "10"])])
    let client = client(stub)
    let task = Task { try await client.send(.get(url)) }
    try await clock.waitForSleepers(1)
    task.cancel()
    let error = await #expect(throws: RequestError.self) { try await task.value }
    #expect(error?.cancellation == .taskCancelled)
    #expect(error?.isCancellation == true)
    #expect(stub.requests.count == 1)
    #expect(clock.sleepers == 0)
  }

  @Test func `a task that is already cancelled sends nothing`() async throws {
    let stub = StubTransport(clock: clock, [.response()])
    let client = client(stub)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.send(.get(url))
    }
    let error = await #expect(throws: RequestError.self) { try await task.value }
    #expect(error?.cancellation == .taskCancelled)
    #expect(stub.requests.isEmpty)
  }

  @Test func `a shutdown lets requests in flight finish, and accepts no more`() async throws {
    let stub = StubTransport(clock: clock, [.response(body: "done").after(.seconds(2))])
    let client = client(stub)
    let task = Task { try await client.send(.get(url)) }
    try await stub.waitForRequests(1)
    let shutdown = Task { await client.shutdown(within: .seconds(5)) }
    try await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(2))
    await shutdown.value
    #expect(try await task.value.text == "done")
    #expect(stub.isShutDown)
    let error = await #expect(throws: RequestError.self) { try await client.send(.get(url)) }
    #expect(error?.cancellation == .clientShutDown)
    #expect(stub.requests.count == 1)
  }

  @Test func `a shutdown cancels requests that do not finish in time`() async throws {
    let stub = StubTransport(clock: clock, [.stall])
    let client = client(stub)
    let task = Task { try await client.send(.get(url).timeout(.seconds(100))) }
    try await stub.waitForRequests(1)
    let shutdown = Task { await client.shutdown(within: .seconds(5)) }
    try await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(5))
    let error = await #expect(throws: RequestError.self) { try await task.value }
    #expect(error?.cancellation == .clientShutDown)
    await shutdown.value
  }

  @Test func `an unread stream does not delay the shutdown once all its bytes have arrived`() async throws {
    let stub = StubTransport(clock: clock, [.response(body: "body")])
    let client = client(stub)
    let response = try await client.stream(.get(url))
    let shutdown = Task { await client.shutdown(within: .seconds(5)) }
    await shutdown.value
    withExtendedLifetime(response) {}
    #expect(stub.isShutDown)
  }

  @Test(arguments: [
    Request.get("http://h/").field("A", "x\r\nB: y"), Request.get("http://h/").field("A b", "x"),
    Request("GE T", "http://h/"), Request.get("/relative"), Request.get("ftp://h/"),
    Request.post("http://h/", json: Double.nan), Request.get("http://h/").field("Content-Length", "3"),
    Request.get("http://h/").field("Transfer-Encoding", "chunked"),
  ])
  func `an invalid request is refused before the transport sees it`(request: Request) async throws {
    let stub = StubTransport(clock: clock, [.response()])
    let error = await #expect(throws: RequestError.self) { try await client(stub).send(request) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.attempt == 0)
    #expect(stub.requests.isEmpty)
  }

  private func refusal(_ client: Client, _ request: Request) async -> RequestError? {
    await #expect(throws: RequestError.self) { try await client.send(request) }
  }

  @Test func `an unexpected status or media type fails the call, and the error contains the response`()
    async throws
  {
    let stub = StubTransport(
      clock: clock,
      [
        .response(status: 404, body: "no such cat"),
        .response(fields: ["Content-Type": "text/html; charset=utf-8"], body: "<html>"), .response(),
        .response(body: "x"),
      ])
    let client = client(stub)
    let status = await refusal(client, .get(url))
    #expect(status?.status == 404)
    #expect(status?.bodyPrefix == Data("no such cat".utf8))
    #expect(status?.description.contains("404 Not Found") == true)
    #expect(status?.description.hasSuffix("; it says: no such cat") == true)
    #expect(status?.message.contains("cat") == false)
    let type = await refusal(client, .get(url).expecting(contentType: "application/json", "image/*"))
    #expect(type?.description.contains("application/json or image/*") == true)
    #expect(type?.description.contains("text/html") == true)
    #expect(type?.bodyPrefix == Data("<html>".utf8) && type?.serverWords == nil)
    let empty = await refusal(client, .get(url).expectingBody())
    #expect(empty?.description.contains("empty") == true)
    struct Bad: Error {}
    let checked = await refusal(client, .get(url).validate { _ in throw Bad() })
    #expect(checked?.underlying is Bad)
    for error in [status, type, empty, checked] { #expect(error?.code == .rejected) }
    #expect(stub.requests.count == 4)
  }

  @Test func `call interceptors run once, attempt interceptors run for each attempt, outermost first`()
    async throws
  {
    struct Mark: Interceptor {
      let name: String
      let log: Log
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        log.append("\(name)>\(next.attempt)")
        defer { log.append("\(name)<") }
        return try await next(request.addingField("X-Mark", name))
      }
    }
    let log = Log()
    let stub = StubTransport(clock: clock, [.fail(.connectionLost), .response(body: "ok")])
    let client = client(stub) {
      $0.interceptors = [Mark(name: "a", log: log), Mark(name: "b", log: log)]
      $0.attemptInterceptors = [Mark(name: "c", log: log)]
      $0.retry.backoff = .zero
    }
    #expect(try await clock.run { try await client.send(.get(url)) }.text == "ok")
    #expect(log.entries == ["a>0", "b>0", "c>1", "c<", "c>2", "c<", "b<", "a<"])
    #expect(stub.requests.last?.fields.values(of: "X-Mark") == ["a", "b", "c"])
  }

  @Test func `an interceptor can respond without sending, or fail`() async throws {
    struct Own: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        guard let url = request.url, url.path == "/own" else { throw Refused() }
        return Response(status: 200, data: Data("own".utf8), url: url)
      }
    }
    struct Refused: Error {}
    let stub = StubTransport(clock: clock, [.response()])
    let client = client(stub) { $0.interceptors = [Own()] }
    #expect(try await client.send(.get("http://stub.test/own")).text == "own")
    await #expect(throws: Refused.self) { try await client.send(.get(url)) }
    #expect(stub.requests.isEmpty)
  }

  @Test func `a waiting interceptor is cancelled with its call`() async throws {
    struct Slow: Interceptor {
      let clock: VirtualClock
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        try await clock.sleep(for: .seconds(1000))
        return try await next(request)
      }
    }
    let stub = StubTransport(clock: clock, [.response()])
    let client = client(stub) { [clock] in $0.interceptors = [Slow(clock: clock)] }
    let task = Task { try await client.send(.get(url)) }
    try await clock.waitForSleepers(1)
    let shutdown = Task { await client.shutdown(within: .zero) }
    let error = await #expect(throws: RequestError.self) { try await task.value }
    #expect(error?.cancellation == .clientShutDown)
    await shutdown.value
    #expect(stub.requests.isEmpty)
  }

  @Test func `no error shows a secret`() async throws {
    let stub = StubTransport(clock: clock, [.response(status: 401, fields: ["Set-Cookie": "hush"])])
    let client = client(stub) {
      $0.secrets.fields = ["X-Session"]
      $0.secrets.queryItems.insert("pin")
    }
    let request = Request.get("http://me:hush@stub.test/?pin=hush&token=hush").bearer("hush").field(
      "X-Session", "hush")
    let error = await #expect(throws: RequestError.self) { try await client.send(request) }
    var dumped = ""
    dump(error, to: &dumped)
    for text in ["\(error!)", String(reflecting: error!), dumped, "\(error!.fields!)"] {
      #expect(!text.contains("hush"), "\(text)")
    }
    #expect(stub.requests.first?.fields["Authorization"] == "Bearer hush")
    #expect(stub.requests.first?.url.absoluteString == "http://stub.test/?pin=hush&token=hush")
  }

  @Test func `the user and password of a URL become basic authentication`() async throws {
    let stub = StubTransport(clock: clock, [.response()])
    try await client(stub).send(.get("http://a%40b:p%3Aw@stub.test/x"))
    #expect(
      stub.requests.first?.fields["Authorization"] == "Basic \(Data("a@b:p:w".utf8).base64EncodedString())")
    #expect(stub.requests.first?.url.absoluteString == "http://stub.test/x")
  }

  @Test func `a request accepts durations of any length`() async throws {
    let stub = StubTransport(clock: clock, [.response(body: "x")])
    let longest = Duration.seconds(Int64.max)
    let response = try await client(stub).send(.get(url).timeout(longest).deadline(longest))
    #expect(response.text == "x")
  }
}

/// A log of entries, in order.
final class Log: Sendable {
  private let state = Locked<[String]>([])
  var entries: [String] { state.withLock { $0 } }
  func append(_ entry: String) { state.withLock { $0.append(entry) } }
}
