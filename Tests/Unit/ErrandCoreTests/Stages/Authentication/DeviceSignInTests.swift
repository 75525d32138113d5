import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sign-ins on another device, in virtual time. Expectations are from RFC 8628.
@Suite(.timeLimit(.minutes(1))) struct DeviceSignInTests {
  private static let code = StubStep.response(
    body: #"{"device_code":"dev","user_code":"WDJB-MJHT","verification_uri":"https://a.test/device","# + rest)
  private static let rest =
    #""verification_uri_complete":"https://a.test/device?user_code=WDJB-MJHT","expires_in":1800,"interval":5}"#
  private static let tokens = StubStep.response(body: #"{"access_token":"a1","refresh_token":"r1"}"#)

  private static func refusal(_ code: String, status: Int = 400) -> StubStep {
    .response(status: status, body: "{\"error\":\"\(code)\"}")
  }

  private static func method() throws -> OAuth2 {
    var method = OAuth2(
      tokenURL: try #require(URL(string: "https://a.test/token")), clientID: "tv", scope: "read")
    method.deviceAuthorizationURL = URL(string: "https://a.test/device_authorization")
    return method
  }

  /// Runs a sign-in while time passes, and returns its result and the times of its requests in seconds.
  private func run(
    _ steps: StubStep..., first: StubStep = code,
    show: @escaping @Sendable (OAuth2.DeviceCode) -> Void = { _ in }
  ) async throws -> (result: Result<OAuth2.Tokens, any Error>, times: [Double], requests: [StubRequest]) {
    let clock = VirtualClock()
    let times = Times()
    let all = [first] + steps
    let stub = StubTransport(clock: clock) { request in
      times.add(clock.now.offset.seconds)
      return all[min(request.index, all.count - 1)]
    }
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.retry.backoff = .zero
    configuration.timeout = .seconds(100)
    let client = Client(transport: stub, configuration: configuration)
    let method = try Self.method()
    let task = Task { try await method.authorizeDevice(over: client) { show($0) } }
    let time = Task {
      while !Task.isCancelled {
        try await clock.waitForSleepers()
        await clock.advanceToNext()
      }
    }
    defer { time.cancel() }
    return (await task.result, times.all, stub.requests)
  }

  private final class Times: Sendable {
    private let times = Locked<[Double]>([])
    func add(_ time: Double) { times.withLock { $0.append(time) } }
    var all: [Double] { times.withLock { $0 } }
  }

  private func failure(_ result: Result<OAuth2.Tokens, any Error>) -> SignInError.Code? {
    if case .failure(let error) = result { (error as? SignInError)?.code } else { nil }
  }

  @Test func `the token endpoint is asked at the server's interval until the user has signed in`()
    async throws
  {
    let (result, times, requests) = try await run(
      Self.refusal("authorization_pending"), Self.refusal("authorization_pending"), Self.tokens)
    #expect(try result.get().accessToken == "a1")
    #expect(times == [0, 5, 10, 15])
    #expect(requests[0].text == "scope=read&client_id=tv")
    #expect(
      requests[1].text
        == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dev&client_id=tv")
  }

  @Test func `slow_down adds five seconds for all further requests`() async throws {
    let (_, times, _) = try await run(
      Self.refusal("slow_down"), Self.refusal("authorization_pending"), Self.refusal("slow_down"), Self.tokens
    )
    #expect(times == [0, 5, 15, 25, 40])
  }

  @Test func `failures of the network and of the server double the interval, up to a minute`() async throws {
    let (result, times, _) = try await run(
      .fail(.connectionLost), .response(status: 503), .fail(.cannotConnect), .response(status: 429),
      .fail(.timedOut), Self.refusal("authorization_pending"), Self.tokens)
    #expect(try result.get().accessToken == "a1")
    #expect(times == [0, 5, 15, 35, 75, 135, 195, 255])
  }

  @Test(arguments: [
    ("access_denied", "denied"), ("expired_token", "expired"), ("invalid_grant", "rejected"),
    ("nonsense", "rejected"),
  ])
  func `another error ends the sign-in`(code: String, expected: String) async throws {
    let (result, times, _) = try await run(Self.refusal("authorization_pending"), Self.refusal(code))
    #expect(failure(result)?.description == expected && times == [0, 5, 10])
  }

  @Test func `the sign-in ends with the code's lifetime`() async throws {
    let short = StubStep.response(
      body: #"{"device_code":"d","user_code":"A","verification_uri":"https://a.test/","expires_in":12}"#)
    let (result, times, _) = try await run(Self.refusal("authorization_pending"), first: short)
    #expect(failure(result) == .expired && times == [0, 5, 10, 11])
  }

  private static func code(interval: String, lifetime: Int) -> StubStep {
    .response(
      body: """
        {"device_code":"d","user_code":"A","verification_uri":"https://a.test/",\
        "interval":\(interval),"expires_in":\(lifetime)}
        """)
  }

  @Test(arguments: [("5", 5, 3.0), ("1e300", 600, 598), ("600", 601, 600)])
  func `a last request comes before the end, however long the interval is`(
    interval: String, lifetime: Int, last: Double
  ) async throws {
    let (result, times, _) = try await run(
      Self.tokens, first: Self.code(interval: interval, lifetime: lifetime))
    #expect(try result.get().accessToken == "a1")
    #expect(times == [0, last])
  }

  @Test func `a server that holds the last request does not hold the sign-in`() async throws {
    let (result, times, _) = try await run(.stall, first: Self.code(interval: "5", lifetime: 5))
    #expect(failure(result) == .expired && times == [0, 3])
  }

  @Test func `a request that is not answered within 30 s is sent again`() async throws {
    let (result, times, _) = try await run(.stall, Self.tokens)
    #expect(try result.get().accessToken == "a1")
    #expect(times == [0, 5, 45])
  }

  @Test func `the next request waits as long as the server asks`() async throws {
    let busy = StubStep.response(status: 429, fields: ["Retry-After": "20"])
    let (result, times, _) = try await run(busy, Self.refusal("authorization_pending"), Self.tokens)
    #expect(try result.get().accessToken == "a1")
    #expect(times == [0, 5, 25, 35])
  }

  @Test func `the sign-in ends when the code expires`() {
    var polling = DevicePolling(interval: 5, ends: .seconds(12))
    #expect(polling.wait(at: .seconds(0)) == .seconds(5))
    #expect(polling.wait(at: .seconds(10)) == .seconds(1))
    // Only one request comes too early for the interval.
    #expect(polling.wait(at: .seconds(11)) == nil && polling.rest(at: .seconds(11)) == .seconds(1))
    var late = DevicePolling(interval: 5, ends: .seconds(12))
    #expect(late.wait(at: .seconds(12)) == nil && late.rest(at: .seconds(13)) == .zero)
  }

  @Test(arguments: [
    #"{"device_code":"","user_code":"A","verification_uri":"https://a.test/","expires_in":12}"#,
    #"{"device_code":"d","user_code":"A\u001b[2J","verification_uri":"https://a.test/","expires_in":12}"#,
    #"{"device_code":"d","user_code":"","verification_uri":"https://a.test/","expires_in":12}"#,
    #"{"device_code":"d","user_code":"A","verification_uri":"http://a.test/","expires_in":12}"#,
    #"{"device_code":"d","user_code":"A","verification_uri":"javascript:x","expires_in":12}"#,
    #"{"device_code":"d","user_code":"A"}"#, "nonsense",
  ])
  func `a code that cannot be shown ends the sign-in`(body: String) async throws {
    let (result, times, _) = try await run(Self.tokens, first: .response(body: body))
    #expect(failure(result) == .rejected && times == [0])
  }

  @Test func `the code is shown as the server issued it, and no description shows it`() async throws {
    let codes = Codes()
    _ = try await run(Self.tokens) { codes.add($0) }
    let code = try #require(codes.all.first)
    #expect(code.userCode == "WDJB-MJHT" && code.verificationURL.absoluteString == "https://a.test/device")
    #expect(code.completeURL?.absoluteString == "https://a.test/device?user_code=WDJB-MJHT")
    #expect(code.lifetime == .seconds(1800) && !"\(code) \(String(reflecting: code))".contains("WDJB"))
  }

  private final class Codes: Sendable {
    private let codes = Locked<[OAuth2.DeviceCode]>([])
    func add(_ code: OAuth2.DeviceCode) { codes.withLock { $0.append(code) } }
    var all: [OAuth2.DeviceCode] { codes.withLock { $0 } }
  }

  @Test func `a cancelled task ends the sign-in`() async throws {
    let clock = VirtualClock()
    let stub = StubTransport(clock: clock, [Self.code, Self.refusal("authorization_pending")])
    var configuration = ClientConfiguration()
    configuration.clock = clock
    let client = Client(transport: stub, configuration: configuration)
    let method = try Self.method()
    let task = Task { try await method.authorizeDevice(over: client) { _ in } }
    // The wait before the next request; the deadline of the first one is another sleep.
    while !clock.ends.contains(where: { $0.offset == .seconds(5) }) { await Task.yield() }
    task.cancel()
    let result = await task.result
    #expect(throws: (any Error).self) { try result.get() }
    if case .failure(let error) = result { #expect(error.isCancellation) }
    #expect(stub.requests.count == 1)
  }

  @Test func `a device sign-in needs its endpoint`() async throws {
    var method = try Self.method()
    method.deviceAuthorizationURL = nil
    let stage = Stage { _ in .response() }
    do {
      _ = try await method.authorizeDevice(over: stage.client) { _ in }
      Issue.record("it has begun")
    } catch {
      #expect((error as? SignInError)?.code == .invalidConfiguration && stage.stub.requests.isEmpty)
    }
  }
}
