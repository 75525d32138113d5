import ErrandCookies
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

/// Redirects of signed requests.
@Suite struct SignedRedirectTests {
  private func stage(_ signer: NumberingSigner, _ handler: @escaping StubTransport.Handler) -> Stage {
    Stage.configured { $0.signer = signer }.responding(handler)
  }

  private static func redirect(_ location: String, _ status: Int = 307) -> StubStep {
    .response(status: status, fields: ["Location": location])
  }

  private func signatures(_ stage: Stage) -> [String?] {
    stage.stub.requests.map { $0.fields["X-Signature"] }
  }

  @Test func `a redirect within the origin is signed for its target`() async throws {
    let signer = NumberingSigner()
    let stage = stage(signer) { request in
      switch request.path {
      case "/a": Self.redirect("/b?x=1")
      case "/b": Self.redirect("/c", 303)
      default: .response()
      }
    }
    let response = try await stage.client.send(.post("http://a.test/a", .text("body")).compressed())
    #expect(signatures(stage) == ["1 /a", "2 /b", "3 /c"])
    #expect(response.timing.redirects == 2 && response.timing.attempts == 1)
    #expect(response.url.path == "/c")
    #expect(signer.seen[1].url.query == "x=1")
    #expect(stage.stub.requests[1].body == stage.stub.requests[0].body)
    // The redirect by 303 is a GET without a body, and the fields that described the body are not signed.
    let last = stage.stub.requests[2]
    #expect(last.method == .get && last.body.isEmpty)
    #expect(!last.fields.contains("Content-Type") && !last.fields.contains("Content-Encoding"))
  }

  @Test func `no field of the old signature is sent to the new target`() async throws {
    struct Named: RequestSigner {
      func sign(_ request: inout OutgoingRequest) {
        request.fields.set("X-For-\(request.url.lastPathComponent)", "1")
      }
    }
    let stage = Stage { $0.path == "/a" ? Self.redirect("/b") : .response() }
    try await stage.client.send(.get("http://a.test/a").signed(by: Named()))
    #expect(stage.stub.requests[1].fields.contains("X-For-b"))
    #expect(!stage.stub.requests[1].fields.contains("X-For-a"))
  }

  @Test func `a redirect to another origin is followed without a signature`() async throws {
    let stage = stage(NumberingSigner()) { request in
      switch request.path {
      case "/a": Self.redirect("http://b.test/b")
      case "/b": Self.redirect("http://a.test/c")
      default: .response()
      }
    }
    let response = try await stage.client.send(.get("http://a.test/a"))
    #expect(signatures(stage) == ["1 /a", nil, nil])
    #expect(response.timing.redirects == 2)
  }

  @Test func `a redirect to another origin is signed if the signer allows it`() async throws {
    let stage = stage(NumberingSigner(follows: true)) { request in
      request.path == "/a" ? Self.redirect("http://b.test/b") : .response()
    }
    try await stage.client.send(.get("http://a.test/a").field("Authorization", "x"))
    #expect(signatures(stage) == ["1 /a", "2 /b"])
    #expect(!stage.stub.requests[1].fields.contains("Authorization"))
  }

  @Test(arguments: [true, false])
  func `the redirect limit applies to one attempt, signed or not`(isSameOrigin: Bool) async throws {
    let stage = Stage.configured {
      $0.signer = NumberingSigner()
      $0.redirects.limit = 3
    }.responding { request in
      Self.redirect(isSameOrigin ? "/\(request.index)" : "http://h\(request.index).test/")
    }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/a"))
    }
    #expect(error?.code == .tooManyRedirects && error?.reachedServer == true)
    #expect(stage.stub.requests.count == 4)
  }

  @Test func `the target of a redirect is signed while no slot is held`() async throws {
    let client = Locked<Client?>(nil)
    let signer = NumberingSigner { outgoing in
      guard outgoing.url.path == "/b" else { return }
      _ = try await client.withLock { $0 }?.send(.get("http://a.test/key").unsigned())
    }
    let stage = Stage.configured {
      $0.signer = signer
      $0.limits.total = 1
    }.responding { request in
      request.path == "/a" ? Self.redirect("/b") : .response()
    }
    client.withLock { $0 = stage.client }
    defer { client.withLock { $0 = nil } }
    try await stage.client.send(.get("http://a.test/a"))
    #expect(stage.paths == ["/a", "/key", "/b"])
    await stage.expectNothingLeft()
  }

  @Test func `a cookie that a redirect sets is part of the next signature`() async throws {
    let signer = NumberingSigner()
    let stage = Stage.configured {
      $0.signer = signer
      $0.cookies = CookieStore()
      $0.date = { .now }
    }.responding { request in
      request.path == "/a"
        ? .response(status: 302, fields: ["Location": "/b", "Set-Cookie": "a=1"]) : .response()
    }
    try await stage.client.send(.get("http://a.test/a"))
    #expect(signer.seen.map { $0.fields["Cookie"] } == [nil, "a=1"])
    #expect(stage.stub.requests.map { $0.fields["Cookie"] } == [nil, "a=1"])
  }

  @Test func `a signer's failure after a redirect is the failure of a request that has reached the server`()
    async throws
  {
    let signer = NumberingSigner { outgoing in
      guard outgoing.url.path == "/b" else { return }
      throw RequestError(.unsupported, message: "no key for /b", reachedServer: false)
    }
    let stage = stage(signer) { _ in Self.redirect("/b") }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.post("http://a.test/a", .text("x")))
    }
    #expect(error?.reachedServer == true)
    #expect(stage.paths == ["/a"])
  }
}
