import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Servers that do not support `Expect` (417).
@Suite(.timeLimit(.minutes(1))) struct ExpectationTests {
  private let post = Request.post("http://a.test/", .text("body")).field("Expect", "100-continue")

  private func stage(_ change: @escaping (inout ClientConfiguration) -> Void = { _ in }) -> Stage {
    Stage.configured(change).responding { request in
      request.fields.contains("Expect") ? .response(status: 417) : .response(body: request.text)
    }
  }

  @Test func `a request is sent again without Expect, once, within the same attempt`() async throws {
    let stage = stage()
    let response = try await stage.client.send(post.attempts(1))
    #expect(response.text == "body")
    // The requests that were sent.
    #expect(response.timing.attempts == 2)
    #expect(stage.stub.requests.map { $0.fields["Expect"] } == ["100-continue", nil])
  }

  @Test func `a 417 for a request without Expect is the response`() async throws {
    let stage = Stage { _ in .response(status: 417) }
    #expect(await stage.client.start(post).result.requestError?.status == 417)
    #expect(stage.stub.requests.count == 2)
    #expect(await stage.client.start(.post("http://a.test/")).result.requestError?.status == 417)
    #expect(stage.stub.requests.count == 3)
  }

  @Test func `a body that cannot be read again is not sent again`() async throws {
    let stage = stage()
    let body = RequestBody.stream(AsyncStream { $0.finish() })
    #expect(await stage.client.start(post.body(body)).result.requestError?.status == 417)
    #expect(stage.stub.requests.count == 1)
  }

  @Test func `a request that accepts every status is sent again, too, and its file is not touched`()
    async throws
  {
    try await TemporaryFolder.using { folder in
      let stage = stage()
      let file = folder.appending(path: "file")
      try await stage.client.download(post.acceptingAnyStatus(), to: file)
      #expect(try String(contentsOf: file, encoding: .utf8) == "body")
      let stream = try await stage.client.stream(post.acceptingAnyStatus())
      #expect(try await stream.chunks.readAll() == 4)
      #expect(stage.stub.requests.count == 4)
    }
  }

  @Test func `a signed request is signed again without the field`() async throws {
    let stage = stage { $0.signer = NumberingSigner() }
    #expect(try await stage.client.send(post.attempts(1)).text == "body")
    let signatures = stage.stub.requests.map { $0.fields["X-Signature"] }
    #expect(signatures.count == 2 && signatures[0] != signatures[1])
  }
}
