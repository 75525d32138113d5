import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct TrailedBodyTests {
  private let stub = StubTransport { _ in .response() }

  private func chunks(_ texts: String...) -> AsyncStream<Data> {
    AsyncStream { stream in
      for text in texts { stream.yield(Data(text.utf8)) }
      stream.finish()
    }
  }

  private func failure(_ body: RequestBody) async -> RequestError? {
    await #expect(throws: RequestError.self) {
      try await Client(transport: stub).send(.post("http://a.test/", body))
    }
  }

  @Test func `trailers are made after the last chunk, and sent after the body`() async throws {
    let seen = Locked("")
    let body = RequestBody.stream(
      chunks("a", "b", "c").map { chunk in
        seen.withLock { $0 += String(decoding: chunk, as: UTF8.self) }
        return chunk
      }, contentType: "text/plain",
      trailers: { ["X-Seen": seen.withLock { $0 }] })
    #expect(body.description == "stream with trailers")
    #expect(!body.isReplayable)
    try await Client(transport: stub).send(.post("http://a.test/", body))
    #expect(stub.requests.first?.text == "abc")
    #expect(stub.requests.first?.trailers == ["X-Seen": "abc"])
    #expect(stub.requests.first?.fields["Content-Type"] == "text/plain")
  }

  @Test func `a body that is sent again has new trailers`() async throws {
    let count = Locked(0)
    let stage = Stage.configured {
      $0.retry = .attempts(3)
      $0.retry.backoff = .zero
    }.responding {
      $0.index < 2 ? .response(status: 503) : .response()
    }
    let body = RequestBody.json(["a": 1]).withTrailers {
      count.withLock { count in
        count += 1
        return ["X-Count": "\(count)"]
      }
    }
    #expect(body.isReplayable)
    #expect(body.length == 7)
    try await stage.client.send(Request(.put, "http://a.test/", body: body))
    #expect(stage.stub.requests.map(\.text) == Array(repeating: "{\"a\":1}", count: 3))
    #expect(stage.stub.requests.map { $0.trailers["X-Count"] } == ["1", "2", "3"])
  }

  @Test func `the body is compressed, and its trailers are kept`() async throws {
    let body = RequestBody.text(String(repeating: "a", count: 10_000)).withTrailers { ["X-A": "b"] }
    try await Client(transport: stub).send(Request.post("http://a.test/", body).compressed())
    #expect(try #require(stub.requests.first).body.count < 1000)
    #expect(stub.requests.first?.trailers == ["X-A": "b"])
  }

  @Test func `a signed body keeps its trailers`() async throws {
    struct Signer: RequestSigner {
      var identity: String? { "a" }
      func sign(_ request: inout OutgoingRequest) async throws {
        request.fields.set("X-Length", "\(try await request.body.bytes(limit: 100).count)")
      }
    }
    let stage = Stage.configured { $0.signer = Signer() }.responding { _ in .response() }
    let body = RequestBody.text("hello").withTrailers { ["X-A": "b"] }
    try await stage.client.send(.post("http://a.test/", body))
    #expect(stage.stub.requests.first?.fields["X-Length"] == "5")
    #expect(stage.stub.requests.first?.trailers == ["X-A": "b"])
  }

  @Test func `trailers replace the earlier ones of the body`() async throws {
    let body = RequestBody.text("a").withTrailers { ["X-A": "1"] }.withTrailers { ["X-B": "2"] }
    try await Client(transport: stub).send(.post("http://a.test/", body))
    #expect(stub.requests.first?.trailers == ["X-B": "2"])
  }

  @Test func `a body of a given length, and no body, cannot have trailers`() async throws {
    let stream = await failure(.stream(chunks("abc"), length: 3).withTrailers { [:] })
    #expect(stream?.code == .invalidRequest)
    #expect(stream?.message.contains("without Content-Length") == true)
    let none = await failure(RequestBody.none.withTrailers { [:] })
    #expect(none?.code == .invalidRequest)
    #expect(stub.requests.isEmpty)
  }

  @Test(arguments: [
    ("Content-Type", "a"), ("content-length", "1"), ("Transfer-Encoding", "chunked"), ("Host", "a"),
    ("Authorization", "a"), ("Set-Cookie", "a"), ("Cache-Control", "a"), ("If-Match", "a"), ("Trailer", "a"),
    ("X A", "a"), ("X-A", "a\r\nX-B: c"), ("", "a"),
  ])
  func `an invalid trailer fails the request`(name: String, value: String) async {
    let error = await failure(
      .text("hello").withTrailers {
        var fields = HTTPFields()
        fields.append(name, value)
        return fields
      })
    #expect(error?.code == .invalidRequest)
    #expect(error?.reachedServer == true)
    #expect(stub.requests.isEmpty)
  }

  @Test func `trailers of more than 32 KiB fail the request`() {
    let fields: HTTPFields = ["X-A": String(repeating: "a", count: 32_761)]
    #expect(TrailerFields.problem(of: fields) == nil)
    #expect(TrailerFields.problem(of: ["X-A": fields["X-A"]! + "a"]) != nil)
  }

  @Test func `the error of the trailers fails the request`() async {
    struct Broken: Error {}
    let error = await failure(.text("hello").withTrailers { throw Broken() })
    #expect(error?.code == .bodyFailed)
    #expect(error?.underlying is Broken)
  }

  @Test func `an ETag and digests may be trailers`() {
    let fields: HTTPFields = ["ETag": "\"a\"", "Content-Digest": "sha-256=:AAAA:", "Server-Timing": "a"]
    #expect(TrailerFields.problem(of: fields) == nil)
    #expect(TrailerFields.allowed(fields) == fields)
    #expect(TrailerFields.allowed(["Content-Type": "a", "X-A": "b", "SET-COOKIE": "c"]) == ["X-A": "b"])
  }

  @Test func `a call with trailers cannot be compared with another`() async {
    let body = RequestBody.text("hello").withTrailers { [:] }
    let error = await #expect(throws: RequestError.self) {
      try await Client(transport: stub).send(
        Request.post("http://a.test/", body).ignoringRepeats(within: .seconds(3)))
    }
    #expect(error?.code == .invalidRequest)
  }

  @Test func `closing the body cancels its trailers`() async throws {
    let (cancelled, tell) = AsyncStream<Void>.makeStream()
    let (started, start) = AsyncStream<Void>.makeStream()
    let body = RequestBody.text("a").withTrailers {
      await withTaskCancellationHandler {
        start.finish()
        for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(60)) }) {}
      } onCancel: {
        tell.finish()
      }
      return [:]
    }
    let client = Client(transport: stub)
    let task = Task { try await client.send(.post("http://a.test/", body)) }
    for await _ in started {}
    task.cancel()
    for await _ in cancelled {}
    await #expect(throws: RequestError.self) { try await task.value }
  }

  @Test func `trailers reach the filters of a response, in any order of the chain`() async throws {
    final class Filter: BodyFilter {
      let seen = Locked<[HTTPFields]>([])
      func put(_ bytes: Data) {}
      func put(trailers: HTTPFields) { seen.withLock { $0.append(trailers) } }
      func end() {}
      func take() -> Data? { nil }
    }
    let filters = [Filter(), Filter()]
    let sink = FilterSink(filters, into: StreamSink())
    try await sink.finish(["X-A": "b"], unless: CancellationToken())
    for filter in filters { #expect(filter.seen.withLock { $0 } == [["X-A": "b"]]) }
  }
}
