import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct FixedCredentialTests {
  private static func stage(
    _ authentication: Authentication, _ respond: @escaping @Sendable (StubRequest) -> StubStep
  ) -> Stage {
    Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = authentication
    }.responding(respond)
  }

  private static var kinds: [(Authentication, field: String)] {
    [
      (.bearer("word"), "Authorization"), (.basic(user: "me", password: "word"), "Authorization"),
      (.apiKey("word"), "X-API-Key"), (.apiKey("word", in: "X-Plain"), "X-Plain"),
    ]
  }

  @Test func `a redirect to another origin is not sent the credential`() async throws {
    for (kind, field) in Self.kinds {
      let stage = Self.stage(kind) { request in
        request.url.host() == "a.test"
          ? .response(status: 307, fields: ["Location": "http://b.test/"]) : .response()
      }
      try await stage.client.send(.get("x"))
      #expect(stage.stub.requests.map { $0.fields.contains(field) } == [true, false])
    }
  }

  @Test func `a 401 is the response, and shows no credential`() async throws {
    for (kind, _) in Self.kinds {
      let stage = Self.stage(kind) { _ in .response(status: 401) }
      let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
      #expect(error?.status == 401)
      #expect(stage.stub.requests.count == 1)
      let seen = stage.stub.requests.map { "\($0.fields)" }.joined()
      #expect(!"\(String(describing: error)) \(seen)".contains("word"))
    }
  }

  @Test func `a token with a line break is refused, and not shown`() async throws {
    for kind in [Authentication.bearer("wo\r\nrd"), .apiKey("wo\nrd")] {
      let stage = Self.stage(kind) { _ in .response() }
      let error = await #expect(throws: RequestError.self) {
        try await stage.client.send(.get("x").attempts(3))
      }
      #expect(error?.code == .invalidRequest && error?.message.contains("rd") == false)
      #expect(stage.stub.requests.isEmpty)
    }
  }

  @Test func `a request that is kept for one user is not sent for another`() async throws {
    let kinds: [(Authentication, sent: [String])] = [
      // A token has no user name.
      (.bearer("word"), []), (.basic(user: "me", password: "word"), ["me"]),
      (.digest(user: "me", password: "word"), ["me"]),
    ]
    for (kind, sent) in kinds {
      let stage = Self.stage(kind) { request in .response(body: request.path) }
      var seen: [String] = []
      for name in ["me", "you"] {
        var request = Request.get("x")
        request.options.identityDigest = CredentialIdentity(named: name).digest
        do {
          try await stage.client.send(request.attempts(3))
          seen.append(name)
        } catch let error as RequestError { #expect(error.code == .otherIdentity) }
      }
      #expect(seen == sent && stage.stub.requests.count == sent.count)
      let own = try await stage.client.identityDigest(of: .get("http://a.test/"))
      #expect(own == sent.first.flatMap { CredentialIdentity(named: $0).digest })
      #expect(try await stage.client.identityDigest(of: .get("http://b.test/")) == nil)
      #expect(
        try await stage.client.identityDigest(of: Request.get("http://a.test/").unauthenticated()) == nil)
    }
  }

  @Test(arguments: [Authentication.bearer(""), .apiKey("")])
  func `an empty token or key is refused with an error that says so`(authentication: Authentication)
    async throws
  {
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = authentication
    }.responding { _ in .response() }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
    #expect(error?.code == .invalidRequest && error?.message.contains("is empty") == true)
    #expect(stage.stub.requests.isEmpty)
  }
}
