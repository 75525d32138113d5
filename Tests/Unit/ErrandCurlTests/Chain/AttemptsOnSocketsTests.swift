import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

/// One attempt is one request that a server reads. That also holds on a reused connection that ends without a
/// response, where libcurl by itself would send the request again.
@Suite(.timeLimit(.minutes(1))) struct AttemptsOnSocketsTests {
  private let server: MockServer

  init() throws {
    server = try MockServer()
    server.on("/warm") { _ in .response() }
  }

  private func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> Client {
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .zero
    change(&configuration)
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  private func request(_ method: HTTPMethod, body: RequestBody) -> Request {
    Request(method, server.url("/eat"), body: body)
  }

  /// Sends the request on a reused connection, and returns the error and the number of requests that arrived.
  private func lose(_ request: Request, with client: Client) async throws -> (RequestError?, Int) {
    _ = try await client.send(.get(server.url("/warm")))
    let before = server.count("/eat")
    let error = await #expect(throws: RequestError.self) { try await client.send(request) }
    return (error, server.count("/eat") - before)
  }

  @Test func `a request with best effort is sent once, whatever its method and its body`() async throws {
    server.on("/eat") { _ in .close }
    let client = client()
    let bodies: [RequestBody] = [.none, .text("body"), .text(String(repeating: "x", count: 300_000))]
    for method in [HTTPMethod.get, .head, .put, .delete, .options, .post] {
      for body in method == .get || method == .head ? [.none] : bodies {
        for request in [request(method, body: body), request(method, body: body).idempotencyKey("k")] {
          let (error, arrived) = try await lose(request.bestEffort(), with: client)
          #expect(error?.code == .connectionLost)
          #expect(error?.attempt == 1)
          #expect(error?.reachedServer == true)
          #expect(arrived == 1, "\(method)")
        }
      }
    }
  }

  /// A reset may arrive before the system acknowledges the bytes that the server has read.
  @Test func `a request that must not be repeated is not sent again after a reset`() async throws {
    server.on("/eat") { _ in .reset }
    let client = client()
    for body in [RequestBody.none, .text("body"), .text(String(repeating: "x", count: 300_000))] {
      let (error, arrived) = try await lose(request(.post, body: body), with: client)
      #expect(error?.code == .connectionLost)
      #expect(error?.reachedServer == true)
      #expect(arrived == 1)
    }
  }

  @Test func `a request that a server has read counts as an attempt`() async throws {
    server.on("/eat") { _ in .close }
    let client = client()
    for method in [HTTPMethod.get, .put, .delete] {
      for limit in 2...4 {
        let request = request(method, body: .none).retry(.attempts(limit).withoutWaiting)
        let (error, arrived) = try await lose(request, with: client)
        #expect(arrived == limit)
        #expect(error?.attempt == limit)
      }
    }
    server.script("/twice", [.close, .response()])
    _ = try await client.send(.get(server.url("/warm")))
    #expect(try await client.send(.get(server.url("/twice"))).timing.attempts == 2)
  }

  @Test func `the next attempt uses the budget of retries`() async throws {
    server.on("/eat") { _ in .close }
    let client = client { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0) }
    #expect(try await lose(request(.get, body: .none), with: client).1 == 1)
  }

  /// Sends the request a second time if the first response is a 401.
  private struct AsksAgain: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let first = try await next(request)
      return first.status == 401 ? try await next(request) : first
    }
  }

  @Test func `the timing counts all requests that were sent, whatever repeated them`() async throws {
    server.script(
      "/", [.response(status: 401), .response(status: 503), .response(status: 503), .response(status: 200)])
    let client = client { $0.attemptInterceptors = [AsksAgain()] }
    let accepting = Request.get(server.url("/")).accepting(200..<402)
    let response = try await client.send(accepting)
    #expect(response.status == 200)
    #expect(server.count("/") == 4)
    #expect(response.timing.attempts == 4)
  }
}

extension RetryPolicy {
  fileprivate var withoutWaiting: RetryPolicy {
    var policy = self
    policy.backoff = .zero
    return policy
  }
}
