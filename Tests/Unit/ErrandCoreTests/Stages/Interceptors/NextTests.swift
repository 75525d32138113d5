import ErrandTesting
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct NextTests {
  private struct Refused: Error {}

  /// Records the values that `next` returns and the errors that it throws.
  private final class Log: Interceptor {
    let lines = Locked<[String]>([])
    private let acceptsAnyStatus: Bool

    init(acceptsAnyStatus: Bool = false) { self.acceptsAnyStatus = acceptsAnyStatus }

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      do {
        let response = try await next(acceptsAnyStatus ? request.acceptingAnyStatus() : request)
        lines.withLock { $0.append("\(response.status.code)") }
        return response
      } catch {
        let known = error as? RequestError
        lines.withLock {
          $0.append(
            known.map { "\($0.code.rawValue) \($0.status?.code ?? 0) attempt \($0.attempt)" } ?? "\(error)")
        }
        throw error
      }
    }
  }

  private let clock = VirtualClock()

  private func lines(
    _ steps: [StubStep], _ call: Log = Log(), _ attempt: Log = Log(),
    _ request: Request = .get("http://a.test/")
  ) async -> (call: [String], attempt: [String]) {
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.interceptors = [call]
    configuration.attemptInterceptors = [attempt]
    let client = Client(transport: StubTransport(clock: clock, steps), configuration: configuration)
    _ = try? await clock.run { try await client.send(request) }
    return (call.lines.withLock { $0 }, attempt.lines.withLock { $0 })
  }

  @Test func `a status is validated before an attempt interceptor sees it`() async {
    let lines = await lines([.response(status: 401)])
    #expect(lines.attempt == ["rejected 401 attempt 1"])
    #expect(lines.call == ["rejected 401 attempt 1"])
  }

  @Test func `an attempt interceptor that accepts any status gets the response, which is not retried`()
    async
  {
    let lines = await lines([.response(status: 503)], Log(), Log(acceptsAnyStatus: true))
    #expect(lines.attempt == ["503"])
    #expect(lines.call == ["503"])
  }

  @Test
  func `next throws each attempt's failure to attempt interceptors, and the last one to call interceptors`()
    async
  {
    let lines = await lines([
      .response(status: 503), .fail(.connectionLost), .response(status: 502),
    ])
    #expect(
      lines.attempt == ["rejected 503 attempt 1", "connectionLost 0 attempt 2", "rejected 502 attempt 3"])
    #expect(lines.call == ["rejected 502 attempt 3"])
  }

  @Test func `an interceptor's error is passed on unchanged`() async {
    struct Refuses: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response { throw Refused() }
    }
    let log = Log()
    var configuration = ClientConfiguration()
    configuration.interceptors = [log, Refuses()]
    let client = Client(transport: StubTransport(clock: clock, [.response()]), configuration: configuration)
    await #expect(throws: Refused.self) { try await client.send(.get("http://a.test/")) }
    #expect(log.lines.withLock { $0 } == ["Refused()"])
  }
}
