import ErrandTesting
import Foundation
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// A signer signs only for its origins, because a signature and its session token are meant for one of them.
@Suite struct SignerOriginTests {
  private struct Leading: Interceptor {
    var url = "http://b.test/moved"
    var signer: NumberingSigner?

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      var moved = Request(request.method, url, fields: request.fields, body: request.body)
      moved.options = request.options
      return try await next(signer.map { moved.signed(by: $0) } ?? moved)
    }
  }

  private static func urls(_ hosts: String...) -> [URL] { hosts.compactMap { URL(string: "http://\($0)") } }

  private func stage(
    at origins: [URL]?, base: String? = nil,
    _ change: @escaping (inout ClientConfiguration) -> Void = { _ in },
    responding handler: @escaping StubTransport.Handler = { _ in .response() }
  ) -> Stage {
    Stage.configured { configuration in
      configuration.signer = NumberingSigner()
      configuration.signerOrigins = origins
      configuration.baseURL = base.flatMap { URL(string: $0) }
      change(&configuration)
    }.responding(handler)
  }

  private static func redirecting(_ request: StubRequest) -> StubStep {
    request.path == "/a" ? .response(status: 307, fields: ["Location": "http://b.test/b"]) : .response()
  }

  private func isSigned(_ stage: Stage) -> [Bool] {
    stage.stub.requests.map { $0.fields.contains("X-Signature") }
  }

  @Test func `the client's signer signs for the base URL, or for the given origins`() async throws {
    for stage in [
      stage(at: nil, base: "http://a.test/api/"), stage(at: Self.urls("a.test"), base: "http://b.test"),
    ] {
      for url in [
        "http://a.test/", "http://A.TEST:80/x", "http://b.test/", "https://a.test/", "http://a.test:81/",
      ] {
        try await stage.client.send(.get(url))
      }
      #expect(isSigned(stage) == [true, true, false, false, false])
    }
    let none = stage(at: [])
    try await none.client.send(.get("http://a.test/"))
    #expect(isSigned(none) == [false])
  }

  @Test func `a signer without known origins signs nothing, and the error says what to do`() async throws {
    let stage = stage(at: nil)
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/"))
    }
    #expect(error?.code == .invalidRequest && error?.message.contains("signerOrigins") == true)
    #expect(stage.stub.requests.isEmpty)
    try await stage.client.send(.get("http://a.test/").unsigned())
    try await stage.client.send(.get("http://a.test/").signed(by: NumberingSigner()))
    #expect(isSigned(stage) == [false, true])
  }

  @Test func `an interceptor that changes the origin gets the signature for the new origin, if any`()
    async throws
  {
    for (origins, expected) in [(Self.urls("a.test"), false), (Self.urls("a.test", "b.test"), true)] {
      let around = stage(at: origins) { $0.interceptors = [Leading()] }
      let attempt = stage(at: origins) { $0.attemptInterceptors = [Leading()] }
      for stage in [around, attempt] {
        try await stage.client.send(.get("http://a.test/"))
        #expect(isSigned(stage) == [expected])
      }
    }
  }

  @Test
  func `a request's own signer does not sign for another origin to which an interceptor changes the URL`()
    async throws
  {
    for (follows, expected) in [(false, false), (true, true)] {
      let around = Stage.configured { $0.interceptors = [Leading()] }.responding { _ in .response() }
      let attempt = Stage.configured { $0.attemptInterceptors = [Leading()] }.responding { _ in .response() }
      for stage in [around, attempt] {
        try await stage.client.send(.get("http://a.test/").signed(by: NumberingSigner(follows: follows)))
        #expect(isSigned(stage) == [expected])
      }
    }
    // It does sign within its origin, and an interceptor may set another signer.
    for leading in [Leading(url: "http://a.test/other"), Leading(signer: NumberingSigner())] {
      let stage = Stage.configured { $0.attemptInterceptors = [leading] }.responding { _ in .response() }
      try await stage.client.send(.get("http://a.test/").signed(by: NumberingSigner()))
      #expect(isSigned(stage) == [true])
    }
  }

  @Test func `the client's signer does not replace a request's signer that no longer applies`() async throws {
    let stage = stage(at: Self.urls("a.test", "b.test")) { $0.attemptInterceptors = [Leading()] }
    try await stage.client.send(.get("http://a.test/").signed(by: NumberingSigner()))
    #expect(isSigned(stage) == [false])
  }

  @Test func `a redirect is signed if its target is among the signer's origins`() async throws {
    for (origins, expected) in [
      (Self.urls("a.test"), [true, false]), (Self.urls("a.test", "b.test"), [true, true]),
    ] {
      let stage = stage(at: origins, responding: { Self.redirecting($0) })
      try await stage.client.send(.get("http://a.test/a").field("Authorization", "x"))
      #expect(isSigned(stage) == expected)
      #expect(stage.stub.requests.last?.fields.contains("Authorization") == false)
    }
  }

  /// A signer and a credential, both of which a redirect between their origins needs again.
  @Test func `a redirect gets both the credential and the signature for the second origin`() async throws {
    let origins = Self.urls("a.test", "b.test")
    let stage = stage(
      at: origins, { $0.authentication = .bearer("token", at: origins) }, responding: { Self.redirecting($0) }
    )
    try await stage.client.send(.post("http://a.test/a", .text("x")))
    #expect(stage.stub.requests.map { $0.fields["X-Signature"] } == ["1 /a", "2 /b"])
    #expect(stage.stub.requests.map { $0.fields["Authorization"] } == ["Bearer token", "Bearer token"])
  }
}
