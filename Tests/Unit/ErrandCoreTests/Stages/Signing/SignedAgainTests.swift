import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

/// Signatures that were refused for a reason that the signer can correct.
@Suite final class SignedAgainTests: Sendable {
  private let asked = Locked<[String]>([])

  private func signer(_ answer: @escaping @Sendable (HTTPStatus) -> Bool = { $0 == 403 }) -> NumberingSigner {
    NumberingSigner(again: { [self] request, status, fields, prefix in
      let signature = request.fields["X-Signature"] ?? "none"
      asked.withLock {
        $0.append(
          "\(status.code) \(signature) \(fields["Date"] ?? "") \(String(decoding: prefix, as: UTF8.self))")
      }
      return answer(status)
    })
  }

  private func stage(_ signer: NumberingSigner, _ handler: @escaping StubTransport.Handler) -> Stage {
    Stage.configured { $0.signer = signer }.responding(handler)
  }

  private static func refusing(_ count: Int) -> StubTransport.Handler {
    {
      $0.index < count
        ? .response(status: 403, fields: ["Date": "then"], body: "skewed") : .response(body: "ok")
    }
  }

  private static var chunks: AsyncStream<Data> {
    AsyncStream { stream in
      stream.yield(Data("abc".utf8))
      stream.finish()
    }
  }

  @Test func `a refused signature is replaced once, and that does not count as a retry`() async throws {
    let stage = stage(signer(), Self.refusing(1))
    let response = try await stage.client.send(.post("http://a.test/", .text("x")).bestEffort())
    #expect(response.text == "ok")
    #expect(stage.stub.requests.map { $0.fields["X-Signature"] } == ["1 /", "2 /"])
    #expect(asked.withLock { $0 } == ["403 1 / then skewed"])
    await stage.expectNothingLeft()
  }

  @Test func `a refused signature is replaced once per call, whatever the number of attempts`() async throws {
    let stage = stage(signer()) { $0.index % 2 == 0 ? .response(status: 403) : .response(status: 503) }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/").attemptsAtOnce(3))
    }
    // Refused, signed again, 503; then a second attempt, whose refusal is the outcome.
    #expect(error?.status == 403)
    #expect(stage.stub.requests.count == 3)
  }

  @Test func `a signer that has corrected nothing does not sign again`() async throws {
    let stage = stage(signer { _ in false }, Self.refusing(1))
    await #expect(throws: RequestError.self) { try await stage.client.send(.get("http://a.test/")) }
    #expect(stage.stub.requests.count == 1)
  }

  @Test func `an accepted refusal is signed again, and for a success the signer is not consulted`()
    async throws
  {
    let stage = stage(signer { _ in true }, Self.refusing(1))
    let response = try await stage.client.send(.get("http://a.test/").acceptingAnyStatus())
    #expect(response.status == 200)
    #expect(asked.withLock { $0.count } == 1)
  }

  @Test func `a caller gets the stream of a refusal`() async throws {
    let stage = stage(signer { _ in true }, Self.refusing(1))
    let response = try await stage.client.stream(.get("http://a.test/").acceptingAnyStatus())
    #expect(response.status == 403)
    #expect(asked.withLock { $0.isEmpty })
  }

  @Test func `a download is signed again`() async throws {
    let folder = try TemporaryFolder()
    let stage = stage(signer(), Self.refusing(1))
    for request in [Request.get("http://a.test/"), .get("http://a.test/").acceptingAnyStatus()] {
      try await stage.client.download(request, to: folder.file("x"))
      #expect(try String(contentsOf: folder.file("x"), encoding: .utf8) == "ok")
    }
  }

  @Test func `a body that cannot be read again is not signed again`() async throws {
    let stage = stage(signer { _ in true }, Self.refusing(1))
    let body = RequestBody.stream(Self.chunks)
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.post("http://a.test/", body))
    }
    #expect(error?.status == 403)
    #expect(asked.withLock { $0.isEmpty })
  }

  @Test func `the target of a redirect is signed again, but not the request that was redirected`()
    async throws
  {
    let stage = stage(signer()) { request in
      switch request.index {
      case 0: .response(status: 307, fields: ["Location": "/b"])
      case 1: .response(status: 403)
      default: .response()
      }
    }
    try await stage.client.send(.get("http://a.test/a"))
    #expect(stage.paths == ["/a", "/b", "/b"])
    #expect(stage.stub.requests[2].fields["X-Signature"] == "3 /b")
  }
}
