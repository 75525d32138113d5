import AsyncHTTPClient
import Errand
import ErrandAsyncHTTPClient
import ErrandConformance
import ErrandTesting
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Performs the requests of a client with libcurl, so that the transport talks to real sockets.
private final class Wire: HTTPClientStandIn {
  private let configuration: HTTPClient.Configuration
  private let client: Client

  init(_ configuration: HTTPClient.Configuration) {
    self.configuration = configuration
    var configuration = ClientConfiguration()
    configuration.fields = [:]
    configuration.timeout = .seconds(3600)
    configuration.limits = .unlimited
    client = Client(configuration: configuration)
  }

  func shutDown() async { await client.shutdown(within: .zero) }

  func perform(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    var sent = Request(Errand.HTTPMethod(request.method.rawValue), request.url)
    for (name, value) in request.headers { sent.fields.append(name, value) }
    if let body = request.body {
      sent.body = .stream(body.map { Data($0.readableBytesView) }, length: body.length.count)
    }
    sent = sent.acceptingAnyStatus().attempts(1).redirects(RedirectPolicy(limit: 0))
    if case .disabled = configuration.decompression { sent = sent.undecoded() }
    do {
      let response = try await client.stream(sent)
      return HTTPClientResponse(
        status: HTTPResponseStatus(statusCode: response.status.code),
        headers: HTTPHeaders(response.fields.map { ($0.name, $0.value) }),
        body: .stream(Body(response.chunks)))
    } catch {
      throw Self.asNeighbour(error)
    }
  }

  /// Returns the error that NIO and AsyncHTTPClient throw in the place of Errand's.
  fileprivate static func asNeighbour(_ error: any Error) -> any Error {
    guard let known = error as? RequestError else { return error }
    switch known.code {
    case .cancelled: return HTTPClientError.cancelled
    case .cannotConnect:
      return NIOConnectionError(host: "", port: 0, connectionErrors: [SingleConnectionFailure(error: known)])
    case .cannotResolveHost: return NIOConnectionError(host: "", port: 0, dnsAError: known)
    case .connectionLost: return HTTPClientError.remoteConnectionClosed
    case .invalidResponse: return HTTPParserError.invalidHeaderToken
    case .fieldsTooLarge: return HTTPParserError.headerOverflow
    case .bodyFailed: return known.underlying ?? known
    default: return known
    }
  }
}

private struct Body: AsyncSequence, Sendable {
  let chunks: ByteStream

  init(_ chunks: ByteStream) { self.chunks = chunks }

  struct AsyncIterator: AsyncIteratorProtocol {
    var chunks: ByteStream.AsyncIterator

    mutating func next() async throws -> ByteBuffer? {
      do {
        return try await chunks.next().map { ByteBuffer(bytes: $0) }
      } catch {
        throw Wire.asNeighbour(error)
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: chunks.makeAsyncIterator()) }
}

/// Performs requests with a function.
private struct Answer: HTTPClientStandIn {
  let answer: @Sendable (HTTPClientRequest) async throws -> HTTPClientResponse

  func perform(_ request: HTTPClientRequest) async throws -> HTTPClientResponse { try await answer(request) }
  func shutDown() async {}
}

/// Returns a client whose requests a function performs.
private func answering(
  _ answer: @escaping @Sendable (HTTPClientRequest) async throws -> HTTPClientResponse
) -> Client {
  HTTPClient.setStandIn { _ in Answer(answer: answer) }
  var configuration = ClientConfiguration()
  configuration.retry = .never
  return Client(transport: AsyncHTTPClientTransport(), configuration: configuration)
}

/// Makes later clients talk to real sockets.
func useWire() { HTTPClient.setStandIn(Wire.init) }

/// Returns the pieces of a body, of 64 KiB each.
private func pieces(_ count: Int) -> AsyncStream<ByteBuffer> {
  AsyncStream { continuation in
    let piece = ByteBuffer(bytes: [UInt8](repeating: 1, count: 64 << 10))
    for _ in 0..<count { continuation.yield(piece) }
    continuation.finish()
  }
}

private func failure(of error: any Error) async -> RequestError? {
  do {
    _ = try await answering { _ in throw error }.send(.get("https://a.test/"))
    return nil
  } catch {
    return error as? RequestError
  }
}

let asyncHTTPClientTests = [
  IntegrationTest("the settings that are Errand's are changed, and the others are not") {
    let configurations = Collected<HTTPClient.Configuration>()
    HTTPClient.setStandIn { configuration in
      configurations.append(configuration)
      return Wire(configuration)
    }
    var configuration = HTTPClient.Configuration()
    configuration.httpVersion = .http1Only
    let mock = try MockServer()
    mock.on("/") { _ in .response(status: 302, fields: ["Location": "/b"]) }
    mock.on("/b") { _ in .response(body: "moved") }
    let client = Client(transport: AsyncHTTPClientTransport(configuration: configuration))
    let response = try await client.send(.get(mock.url("/")).httpVersion(.http1))
    expectEqual(response.text, "moved")
    expectEqual(configurations.values.count, 2)
    for used in configurations.values {
      expectEqual(used.redirectConfiguration, .disallow)
      expect(used.tracing.tracer == nil)
      expectEqual(used.httpVersion, .http1Only)
    }
    await client.shutdown()
    mock.stop()
  },
  IntegrationTest("errors have Errand's codes, and keep their cause") {
    let cases: [(any Error, RequestError.Code, Bool)] = [
      (HTTPClientError.connectTimeout, .timedOut, false), (HTTPClientError.readTimeout, .timedOut, true),
      (HTTPClientError.remoteConnectionClosed, .connectionLost, true),
      (HTTPClientError.proxyAuthenticationRequired, .proxyAuthenticationFailed, false),
      (HTTPClientError.bodyLengthMismatch, .connectionLost, true),
      (NIOConnectionError(host: "", port: 0), .cannotResolveHost, false),
      (HTTPParserError.invalidHeaderToken, .invalidResponse, true),
      (HTTPParserError.invalidEOFState, .connectionLost, true),
      (CocoaError(.fileNoSuchFile), .connectionLost, true),
    ]
    for (cause, code, reachedServer) in cases {
      let error = await failure(of: cause)
      expectEqual(error?.code, code)
      expectEqual(error?.reachedServer, reachedServer)
      expect(error?.underlying.map { type(of: $0) == type(of: cause) } ?? false, "\(cause)")
    }
  },
  IntegrationTest("a request that AsyncHTTPClient cannot send as it is fails before it is sent") {
    let requests: [Request] = [
      .get("https://a.test/").connectTimeout(.seconds(1)), .get("https://a.test/").httpVersion(.http2),
      .get("https://a.test/").httpVersion(.http1),
      .post("https://a.test/", .text("a").withTrailers { ["X-A": "1"] }),
    ]
    let client = answering { _ in
      expect(false, "the request was sent")
      return HTTPClientResponse()
    }
    for request in requests {
      do {
        try await client.send(request)
        expect(false, "no error for \(request)")
      } catch {
        expectEqual((error as? RequestError)?.code, .unsupported)
      }
    }
  },
  IntegrationTest("a coding that NIO does not decode is an error, and none if nothing is to be decoded") {
    let client = answering { _ in
      HTTPClientResponse(headers: ["Content-Encoding": "br"], body: .stream(pieces(1)))
    }
    do {
      try await client.send(.get("https://a.test/"))
      expect(false, "no error")
    } catch {
      expectEqual((error as? RequestError)?.code, .badEncoding)
    }
    try await client.send(.get("https://a.test/").undecoded())
  },
  IntegrationTest("a body in memory is sent in pieces, with its length and its progress") {
    let (got, lengths) = (Collected<Int>(), Collected<Int64?>())
    let client = answering { request in
      lengths.append(request.body?.length.count)
      if let body = request.body { for try await piece in body { got.append(piece.readableBytes) } }
      return HTTPClientResponse()
    }
    let sent = Collected<Int64>()
    try await client.send(.post("https://a.test/", .bytes(Data(count: 100_000)))) { sent.append($0.sent) }
    expectEqual(got.values, [64 << 10, 100_000 - (64 << 10)])
    expectEqual(lengths.values, [100_000])
    expectEqual(sent.values.max(), 100_000)
    try await client.send(.post("https://a.test/"))
    expectEqual(lengths.values.last, .some(nil))
  },
  IntegrationTest("a silent server ends with a time-out, and a slow consumer does not") {
    let fast = answering { _ in
      HTTPClientResponse(body: .stream(pieces(64)))
    }
    let response = try await fast.stream(.get("https://a.test/").timeout(.milliseconds(50)))
    let silent = answering { _ in
      for await _ in AsyncStream<Void>(bufferingPolicy: .unbounded, { _ in }) {}
      throw CancellationError()
    }
    do {
      try await silent.send(.get("https://a.test/").timeout(.milliseconds(100)))
      expect(false, "no error")
    } catch {
      expectEqual((error as? RequestError)?.code, .timedOut)
    }
    // The stream was not read for longer than its time-out.
    var count = 0
    for try await chunk in response.chunks { count += chunk.count }
    expectEqual(count, 64 * 64 << 10)
  },
  IntegrationTest("after its shutdown the transport sends nothing") {
    let client = answering { _ in HTTPClientResponse() }
    try await client.send(.get("https://a.test/"))
    await client.shutdown()
  },
]

/// The requirements that the transport does not meet, each with the reason.
private let exceptions = [
  "accepts a response without a reason phrase, with unusual spaces, and of HTTP/1.0":
    "the stand-in has no version",
  "requests the whole file when the server sends a part of another version, or lacks the range":
    "the client of the stand-in refuses the response",
  "times out when the server does not accept the connection": "AsyncHTTPClient does not report connections",
  "times out or fails when the host name is not resolved in time":
    "AsyncHTTPClient does not report connections",
  "reads the trailers of a response, apart from its fields": "AsyncHTTPClient has no trailers",
  "drops received trailers that are needed before the body": "AsyncHTTPClient has no trailers",
]

/// The exceptions that depend on the time of a look-up.
private let mayPass: Set = ["times out or fails when the host name is not resolved in time"]

let conformanceTests = TransportConformance.cases.map { testCase in
  IntegrationTest("conformance: \(testCase)") {
    let isException = exceptions["\(testCase)"] != nil
    let mustFail = isException && !mayPass.contains("\(testCase)")
    do {
      let outcome = try await TransportConformance { AsyncHTTPClientTransport() }.run(testCase)
      if case .passed = outcome, mustFail { expect(false, "the case passes, and is not an exception") }
    } catch {
      if !isException { throw error }
    }
  }
}
