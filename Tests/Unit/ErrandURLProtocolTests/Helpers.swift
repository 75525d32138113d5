@_spi(Benchmarks) import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandTesting
import ErrandURLProtocol
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server, a client, and sessions that send through it.
struct SessionFixture {
  let server: MockServer
  let client: Client

  init() throws {
    server = try MockServer()
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .milliseconds(1)
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  func session(
    _ client: Client? = nil, outbox: Outbox? = nil, fields: [String: String] = [:],
    delegate: (any URLSessionDelegate)? = nil
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [ErrandURLProtocol.using(client ?? self.client, outbox: outbox)]
    configuration.httpAdditionalHeaders = fields
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  func request(_ path: String = "/", _ method: String = "GET") -> URLRequest {
    var request = URLRequest(url: server.url(path))
    request.httpMethod = method
    return request
  }

  /// Waits until the client has no calls left, 20 s at most. Returns false if it still has some.
  func isIdle() async -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ClientProbe(client).inFlight > 0, ContinuousClock.now < end { await Task.yield() }
    return ClientProbe(client).inFlight == 0
  }
}

extension URLSession {
  func text(_ request: URLRequest) async throws -> (String, HTTPURLResponse) {
    let (data, response) = try await data(for: request)
    return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
  }
}

/// The writer of a body, which waits until the test releases it, as the writer of a pair of streams may.
final class SlowWriter: Sendable {
  /// Yields when a read begins.
  let reads: AsyncStream<Void>
  private let begins: AsyncStream<Void>.Continuation
  private let mayGoOn = DispatchSemaphore(value: 0)

  init() { (reads, begins) = AsyncStream.makeStream() }

  func goOn() { mayGoOn.signal() }

  fileprivate func wait() {
    begins.yield()
    mayGoOn.wait()
  }
}

/// A body whose bytes arrive after its writer is released.
final class SlowStream: InputStream {
  private let writer: SlowWriter
  private var rest: Data
  private var hasBegun = false

  init(_ data: Data, _ writer: SlowWriter) {
    self.writer = writer
    rest = data
    super.init(data: data)
  }

  override func open() {}
  override func close() {}
  override var hasBytesAvailable: Bool { true }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    if !hasBegun { writer.wait() }
    hasBegun = true
    let count = min(length, rest.count)
    rest.prefix(count).copyBytes(to: buffer, count: count)
    rest.removeFirst(count)
    return count
  }
}
