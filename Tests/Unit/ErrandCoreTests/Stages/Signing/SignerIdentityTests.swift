import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

/// Responses that are shared and cached by the identity for which requests are signed.
@Suite struct SignerIdentityTests {
  private func stage(_ change: @escaping (inout ClientConfiguration) -> Void = { _ in }) -> Stage {
    Stage.configured(change).responding { .response(body: $0.fields["X-Signature"] ?? "none") }
  }

  /// Returns the number of requests that two calls within one window cause.
  private func sent(_ stage: Stage, _ first: Request, _ second: Request) async throws -> Int {
    let (first, second) = (first.shared(within: .seconds(9)), second.shared(within: .seconds(9)))
    let before = stage.stub.requests.count
    try await stage.client.send(first)
    try await stage.client.send(second)
    await stage.clock.advance(by: .seconds(10))
    return stage.stub.requests.count - before
  }

  private let get = Request.get("http://a.test/")

  @Test func `signers without a name do not share responses`() async throws {
    let signer = NumberingSigner()
    let signed = get.signed(by: signer)
    #expect(try await sent(stage(), signed, get.signed(by: signer)) == 2)
    #expect(try await sent(stage(), signed, signed) == 1)
    #expect(try await sent(stage(), signed, get) == 2)
  }

  @Test func `signers with the same name share, and signers with different names do not`() async throws {
    let signers = ["a", "a", "b"].map { NumberingSigner(identity: $0) }
    #expect(try await sent(stage(), get.signed(by: signers[0]), get.signed(by: signers[1])) == 1)
    #expect(try await sent(stage(), get.signed(by: signers[0]), get.signed(by: signers[2])) == 2)
    #expect(try await sent(stage { $0.signer = signers[0] }, get.signed(by: signers[1]), get) == 1)
    #expect(try await sent(stage { $0.signer = signers[0] }, get.signed(by: signers[2]), get) == 2)
  }

  @Test func `an unsigned request does not share with one that the client signs`() async throws {
    for identity in [nil, "a"] {
      let stage = stage { $0.signer = NumberingSigner(identity: identity) }
      #expect(try await sent(stage, get, get) == 1)
      #expect(try await sent(stage, get, get.unsigned()) == 2)
    }
  }

  @Test func `a cached response is returned only to requests with its signer's identity`() async throws {
    let stage = stage { $0.identity = { "user" } }
    func cached(_ signer: String) async throws -> Response {
      try await stage.client.send(
        get.signed(by: NumberingSigner(identity: signer)).cached(as: "x"))
    }
    #expect(try await cached("a").cachedAt == nil)
    #expect(try await cached("a").cachedAt != nil)
    #expect(try await cached("b").cachedAt == nil)
    #expect(try await stage.client.send(get.cached(as: "x")).cachedAt == nil)
    let own = get.signed(by: NumberingSigner(identity: "a")).cached(as: "x")
    #expect(try await stage.client.cachedResponse(to: own) != nil)
    try await stage.client.removeCachedResponse(to: own)
    #expect(try await stage.client.cachedResponse(to: own) == nil)
  }
}
