import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A stream holds its slot until its last byte is here or nobody holds the stream.
@Suite struct StreamSlotsTests {
  private static let large = StubStep.answer(chunks: [ByteStream.largeChunk, ByteStream.largeChunk])

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

  @Test func `until its last byte`() async throws {
    let stage = stage()
    let answer = try await stage.client.stream(get("stream"))
    let other = stage.client.start(get("other"))
    await stage.reachWaiting(1)
    #expect(stage.paths == ["/stream"])
    #expect(try await answer.chunks.readAll() == 2 << 20)
    _ = try await other.value
    #expect(stage.stub.mostInFlight == 1)
    await stage.expectNothingLeft()
  }

  @Test func `until it is let go`() async throws {
    let stage = stage()
    var answer: Response? = try await stage.client.stream(get("stream"))
    let other = stage.client.start(get("other"))
    await stage.reachWaiting(1)
    #expect(answer?.status == 200)
    answer = nil
    _ = try await other.value
    #expect(stage.stub.mostInFlight == 1)
    await stage.expectNothingLeft()
  }

  @Test func `until its scope ends`() async throws {
    let stage = stage()
    let scope = RequestScope("page")
    let answer = try await stage.client.stream(get("stream"), in: scope)
    #expect(scope.count == 1)
    scope.end()
    let error = await #expect(throws: RequestError.self) { try await answer.chunks.readAll() }
    #expect(error?.cancellation == .scopeEnded("page"))
    await stage.expectNothingLeft()
  }

  @Test func `nothing of it is left when the reader has seen its end`() async throws {
    let stage = stage { _ in .answer(body: "short") }
    let scope = RequestScope("page")
    for _ in 0..<200 {
      let answer = try await stage.client.stream(get("stream"), in: scope)
      #expect(try await answer.chunks.readAll() == 5)
      #expect(scope.count == 0)
      #expect(stage.load == SlotLoad())
      #expect(stage.client.pipeline.inFlight.count == 0)
    }
  }

  @Test func `one that a check refuses gives it back when it is off the wire`() async throws {
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

  /// Asks a second time if the first answer is a 401.
  private struct AsksAgain: Interceptor {
    func intercept(_ request: Request, next: Next) async throws -> Response {
      if try await status(request, next) == 401 { return try await next(request.bearer("new")) }
      return try await next(request)
    }

    private func status(_ request: Request, _ next: Next) async throws -> Status {
      try await next(request).status
    }
  }

  @Test func `a stream that an interceptor lets go does not end the call`() async throws {
    let answering: StubTransport.Handler = { request in
      let status = request.fields.contains("Authorization") ? 200 : 401
      return .answer(status: status, chunks: [ByteStream.largeChunk, ByteStream.largeChunk])
    }
    let stage = stage({ $0.interceptors = [AsksAgain()] }, answering)
    let scope = RequestScope("page")
    let answer = try await stage.client.stream(get("stream").acceptingAnyStatus(), in: scope)
    #expect(answer.status == 200)
    #expect(scope.count == 1)
    #expect(stage.load.running == 1)
    #expect(stage.client.pipeline.inFlight.count == 1)
    scope.end()
    let error = await #expect(throws: RequestError.self) { try await answer.chunks.readAll() }
    #expect(error?.cancellation == .scopeEnded("page"))
    #expect(stage.stub.mostInFlight == 1)
    await stage.expectNothingLeft()
  }

  /// Answers with the chunks of another answer.
  private final class AnswersWithAnother: Interceptor {
    let client = Locked<Client?>(nil)

    func intercept(_ request: Request, next: Next) async throws -> Response {
      guard let url = request.url, request.path != "/mirror" else { return try await next(request) }
      if request.path == "/own" {
        let own = Response(status: 200, data: Data("own".utf8), url: url)
        var answer = own
        answer.body = .chunks(own.chunks)
        return answer
      }
      guard let client = client.withLock({ $0 }) else { return try await next(request) }
      return try await client.stream(.get("http://a.test/mirror"))
    }
  }

  @Test func `a stream of an interceptor's own ends the call when it ends`() async throws {
    let interceptor = AnswersWithAnother()
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
