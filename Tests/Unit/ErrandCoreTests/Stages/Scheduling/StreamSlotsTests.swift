import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A stream holds its slot until its last byte has arrived or the stream is released.
@Suite struct StreamSlotsTests {
  private static let large = StubStep.response(chunks: [ByteStream.largeChunk, ByteStream.largeChunk])

  private func stage(_ handler: @escaping StubTransport.Handler = { _ in large }) -> Stage {
    stage({ _ in }, handler)
  }

  private func stage(
    _ change: (inout ClientConfiguration) -> Void, _ handler: @escaping StubTransport.Handler = { _ in large }
  ) -> Stage {
    Stage(
      configured: {
        $0.limits.total = 1
        change(&$0)
      }, handler)
  }

  private func get(_ path: String) -> Request { .get("http://a.test/\(path)") }

  @Test func `a stream holds its slot until its last byte has arrived`() async throws {
    let stage = stage()
    let response = try await stage.client.stream(get("stream"))
    let other = stage.client.start(get("other"))
    await stage.reachWaiting(1)
    #expect(stage.paths == ["/stream"])
    #expect(try await response.chunks.readAll() == 2 << 20)
    _ = try await other.value
    #expect(stage.stub.mostInFlight == 1)
    await stage.expectNothingLeft()
  }

  @Test(arguments: [false, true])
  func `a stream holds its slot until it is released, also with a listener`(hasListener: Bool) async throws {
    let recorder = EventRecorder()
    let stage = stage { if hasListener { $0.listeners = [recorder] } }
    var response: Response? = try await stage.client.stream(get("stream"))
    let other = stage.client.start(get("other"))
    await stage.reachWaiting(1)
    #expect(response?.status == 200)
    response = nil
    _ = try await other.value
    #expect(stage.stub.mostInFlight == 1)
    await stage.expectNothingLeft()
  }

  @Test func `a stream holds its slot until its scope ends`() async throws {
    let stage = stage()
    let scope = RequestScope("page")
    let response = try await stage.client.stream(get("stream"), in: scope)
    #expect(scope.count == 1)
    scope.end()
    let error = await #expect(throws: RequestError.self) { try await response.chunks.readAll() }
    #expect(error?.cancellation == .scopeEnded("page"))
    await stage.expectNothingLeft()
  }

  @Test func `a stream leaves nothing behind when its reader has reached the end`() async throws {
    let stage = stage { _ in .response(body: "short") }
    let scope = RequestScope("page")
    for _ in 0..<200 {
      let response = try await stage.client.stream(get("stream"), in: scope)
      #expect(try await response.chunks.readAll() == 5)
      #expect(scope.count == 0)
      #expect(stage.load == SlotLoad())
      #expect(stage.client.pipeline.inFlight.count == 0)
    }
  }

  @Test func `a stream that validation rejects releases its slot when its transfer has stopped`() async throws
  {
    struct Refused: Error {}
    let stage = stage()
    for _ in 0..<50 {
      let refused = stage.client.start(get("other"))
      await #expect(throws: RequestError.self) {
        try await stage.client.stream(get("stream").validate { _ in throw Refused() })
      }
      _ = try await refused.value
    }
    #expect(stage.stub.mostInFlight == 1)
    await stage.expectNothingLeft()
  }

  /// Sends a request twice, the second time with a token if the first response is a 401.
  private struct AsksAgain: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      if try await status(request, next) == 401 { return try await next(request.bearer("new")) }
      return try await next(request)
    }

    private func status(_ request: Request, _ next: InterceptorChain) async throws -> HTTPStatus {
      try await next(request).status
    }
  }

  @Test func `a stream that an interceptor releases does not end the call`() async throws {
    let responding: StubTransport.Handler = { request in
      let status = request.fields.contains("Authorization") ? 200 : 401
      return .response(status: status, chunks: [ByteStream.largeChunk, ByteStream.largeChunk])
    }
    let stage = stage({ $0.interceptors = [AsksAgain()] }, responding)
    let scope = RequestScope("page")
    let response = try await stage.client.stream(get("stream").acceptingAnyStatus(), in: scope)
    #expect(response.status == 200)
    #expect(scope.count == 1)
    #expect(stage.load.running == 1)
    #expect(stage.client.pipeline.inFlight.count == 1)
    scope.end()
    let error = await #expect(throws: RequestError.self) { try await response.chunks.readAll() }
    #expect(error?.cancellation == .scopeEnded("page"))
    #expect(stage.stub.mostInFlight == 1)
    await stage.expectNothingLeft()
  }

  /// Responds with the chunks of another response.
  private final class RespondsWithAnother: Interceptor {
    let client = Locked<Client?>(nil)

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      guard let url = request.url, request.path != "/mirror" else { return try await next(request) }
      if request.path == "/own" {
        let own = Response(status: 200, data: Data("own".utf8), url: url)
        var response = own
        response.body = .chunks(own.chunks)
        return response
      }
      guard let client = client.withLock({ $0 }) else { return try await next(request) }
      return try await client.stream(.get("http://a.test/mirror"))
    }
  }

  @Test func `a stream that an interceptor made ends the call when it ends`() async throws {
    let interceptor = RespondsWithAnother()
    let stage = stage({ $0.interceptors = [interceptor] })
    interceptor.client.withLock { $0 = stage.client }
    defer { interceptor.client.withLock { $0 = nil } }
    let own = try await stage.client.stream(get("own"))
    #expect(try await own.chunks.readAll() == 3)
    #expect(stage.client.pipeline.inFlight.count == 0)
    let mirror = try await stage.client.stream(get("stream"))
    #expect(stage.client.pipeline.inFlight.count == 2)
    #expect(try await mirror.chunks.readAll() == 2 << 20)
    #expect(stage.client.pipeline.inFlight.count == 0)
    let scope = RequestScope("page")
    let third = try await stage.client.stream(get("stream"), in: scope)
    scope.end()
    let error = await #expect(throws: RequestError.self) { try await third.chunks.readAll() }
    #expect(error?.cancellation == .scopeEnded("page"))
    await stage.expectNothingLeft()
  }
}
