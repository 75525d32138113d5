import ErrandCrypto
import ErrandTesting
import TestSupport
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct DigestSessionTests {
  private static func stage(
    at origins: [String] = ["http://a.test"], protectsBody: Bool = false,
    _ respond: @escaping @Sendable (StubRequest) -> StubStep
  ) -> Stage {
    Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = .digest(
        user: "me", password: "word", protectsBody: protectsBody, at: origins.compactMap { URL(string: $0) })
    }.responding(respond)
  }

  private static func digest(_ request: StubRequest) -> [String: String] {
    Challenge.all(in: request.fields.values(of: "Authorization")).first?.parameters ?? [:]
  }

  private static func refused(_ nonce: String, realm: String = "r", _ more: String = "qop=auth") -> StubStep {
    .response(
      status: 401,
      fields: [
        "WWW-Authenticate": "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", algorithm=SHA-256, \(more)"
      ])
  }

  /// Returns true if a request is signed for its method, its target and, with `auth-int`, its body.
  private static func isValid(_ request: StubRequest, realm: String = "r") -> Bool {
    let digest = digest(request)
    let hash = DigestHash.sha256
    guard let nonce = digest["nonce"], let quality = digest["qop"], let count = digest["nc"],
      let clientNonce = digest["cnonce"], clientNonce.utf8.count >= 16
    else { return false }
    let target = request.url.path + (request.url.query().map { "?\($0)" } ?? "")
    guard digest["uri"] == target, digest["realm"] == realm else { return false }
    let body = quality == "auth-int" ? ":\(hash(request.body))" : ""
    let first = hash("me:\(realm):word")
    let second = hash("\(request.method.rawValue):\(target)\(body)")
    return digest["response"] == hash("\(first):\(nonce):\(count):\(clientNonce):\(quality):\(second)")
  }

  @Test func `a nonce is used, with a count, until the server sends another`() async throws {
    let stage = Self.stage { request in
      let nonce = request.index < 4 ? "one" : "two"
      guard Self.isValid(request), Self.digest(request)["nonce"] == nonce else {
        return Self.refused(nonce, "qop=auth\(Self.digest(request).isEmpty ? "" : ", stale=true")")
      }
      return request.index == 2
        ? .response(fields: ["Authentication-Info": "nextnonce=\"one\", qop=auth"])
        : request.index == 5
          ? .response(fields: ["Authentication-Info": "qop=auth, nextnonce=\"three\""]) : .response()
    }
    for _ in 0..<4 { try await stage.client.send(.get("x?y=z")) }
    try await stage.client.send(.get("x"))
    let digests = stage.stub.requests.map(Self.digest)
    #expect(digests.map { $0["nonce"] } == [nil, "one", "one", "one", "one", "two", "three", "two"])
    // The count of the same nonce continues.
    #expect(
      digests.map { $0["nc"]?.last } == [nil, "1", "2", "3", "4", "1", "1", "1"])
    #expect(digests[1]["uri"] == "/x?y=z")
    #expect(!stage.stub.requests.contains { $0.fields.contains { $0.value.contains("word") } })
  }

  // MARK: Large bodies

  private static let large = String(repeating: "x", count: 4097)

  @Test func `a large body is sent once, after a request without a body has fetched the challenge`()
    async throws
  {
    let stage = Self.stage { Self.isValid($0) ? .response(body: "\($0.body.count)") : Self.refused("one") }
    let request = Request.put("x", .text(Self.large)).field("Content-Language", "de").idempotencyKey("k")
      .field("Expect", "100-continue").compressed()
    for _ in 0..<2 { _ = try await stage.client.send(request) }
    let sent = stage.stub.requests
    #expect(sent.map { $0.body.isEmpty } == [true, false, false])
    #expect(sent.map(\.method) == [.put, .put, .put])
    for name in ["Content-Language", "Content-Type", "Content-Encoding", "Expect", "Idempotency-Key"] {
      #expect(sent.map { $0.fields.contains(name) } == [false, true, true], "\(name)")
    }
  }

  @Test func `a file and a stream wait for the challenge, and a small body does not`() async throws {
    try await TemporaryFolder.using { folder in
      let file = folder.appending(path: "file")
      try Data("small".utf8).write(to: file)
      for (body, isAsked) in [
        (RequestBody.file(file), true), (.stream(AsyncStream { $0.finish() }), true), (.text("small"), false),
        (.bytes(Data(count: 4096)), false),
      ] {
        let stage = Self.stage { Self.isValid($0) ? .response() : Self.refused("one") }
        try await stage.client.send(.put("x", body))
        #expect(stage.stub.requests.count == 2)
        #expect(stage.stub.requests[0].body.isEmpty == isAsked, "\(body)")
      }
    }
  }

  @Test(arguments: [200, 204, 400, 403, 404, 500])
  func `without a challenge the request is sent unchanged`(status: Int) async throws {
    let stage = Self.stage { .response(status: $0.body.isEmpty ? status : 201, body: "\($0.body.count)") }
    #expect(try await stage.client.send(.put("x", .text(Self.large))).text == "4097")
    #expect(stage.stub.requests.map { $0.fields["Authorization"] } == [nil, nil])
  }

  @Test func `the response to the probe is discarded`() async throws {
    try await TemporaryFolder.using { folder in
      let stage = Self.stage {
        $0.body.isEmpty ? .response(status: 200, body: "of the question") : .response(body: "of the request")
      }
      let file = folder.appending(path: "file")
      let request = Request.put("x", .text(Self.large)).acceptingAnyStatus()
      try await stage.client.download(request, to: file)
      #expect(try String(contentsOf: file, encoding: .utf8) == "of the request")
      #expect(try await stage.client.stream(request).chunks.readAll() == 14)
    }
  }

  @Test func `a refused password does not cause the body to be sent again`() async throws {
    let stage = Self.stage { _ in Self.refused("one") }
    let error = await stage.client.start(.put("x", .text(Self.large))).result.requestError
    #expect(error?.status == 401)
    #expect(stage.stub.requests.map { $0.body.isEmpty } == [true, false])
  }

  @Test func `a probe without a response fails the attempt, which is retried`() async throws {
    let stage = Self.stage {
      $0.index == 0 ? .fail(.connectionLost) : Self.isValid($0) ? .response() : Self.refused("one")
    }
    try await stage.client.send(.put("x", .text(Self.large)))
    #expect(stage.stub.requests.map { $0.body.isEmpty } == [true, true, false])
  }

  @Test func `concurrent requests each have their own nonce count`() async throws {
    let counts = Locked<[String]>([])
    let stage = Self.stage { request in
      guard Self.isValid(request) else { return Self.refused("n") }
      return counts.withLock { counts in
        let count = Self.digest(request)["nc"] ?? ""
        // A server refuses a count that was used before.
        guard !counts.contains(count) else { return Self.refused("n") }
        counts.append(count)
        return .response()
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { _ = try await stage.client.send(.get("\(number)").attempts(1)) }
      }
      try await group.waitForAll()
    }
    #expect(Set(counts.withLock { $0 }) == Set((1...100).map { UInt64($0).hexadecimal(8) }))
  }

  @Test func `a nonce belongs to its origin`() async throws {
    let stage = Self.stage(at: ["http://a.test", "http://b.test"]) { request in
      let nonce = "of \(request.url.host() ?? "")"
      // A server that does not report an unknown nonce as stale.
      guard Self.isValid(request), Self.digest(request)["nonce"] == nonce else { return Self.refused(nonce) }
      return .response()
    }
    for _ in 0..<2 {
      try await stage.client.send(.get("http://a.test/x"))
      try await stage.client.send(.get("http://b.test/x"))
    }
    let nonces = stage.stub.requests.map { Self.digest($0)["nonce"] }
    #expect(nonces == [nil, "of a.test", nil, "of b.test", "of a.test", "of b.test"])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          try await stage.client.send(.get("http://\(number % 2 == 0 ? "a" : "b").test/x").attempts(1))
        }
      }
      try await group.waitForAll()
    }
    #expect(stage.stub.requests.count == 46)
  }

  @Test func `the challenges of several realms of one origin do not replace each other`() async throws {
    let stage = Self.stage { request in
      let realm = request.path
      guard Self.isValid(request, realm: realm) else {
        return Self.refused("n\(request.index)", realm: realm)
      }
      return .response(body: realm)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 {
        group.addTask {
          let path = number % 2 == 0 ? "/x" : "/y"
          let response = try await stage.client.send(.get("http://a.test\(path)").attempts(1))
          #expect(response.text == path)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a wrong password gets the server's 401, however often it is sent`() async throws {
    let stage = Self.stage { Self.refused("\($0.index)") }
    for _ in 0..<10 {
      let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
      #expect(error?.status == 401)
    }
    #expect(stage.stub.requests.count == 11)
  }

  @Test
  func `a nonce that the server has forgotten is replaced, even if the server does not report it as stale`()
    async throws
  {
    let epoch = Locked(0)
    let stage = Self.stage { request in
      let nonce = "\(epoch.withLock { $0 })"
      return Self.isValid(request) && Self.digest(request)["nonce"] == nonce
        ? .response() : Self.refused(nonce)
    }
    for number in 0..<3 {
      epoch.withLock { $0 = number }
      try await stage.client.send(.get("x").attempts(1))
    }
    #expect(stage.stub.requests.count == 6)
  }

  @Test func `a request is sent again only once if its nonce is always stale`() async throws {
    let stage = Self.stage { Self.refused("\($0.index)", "qop=auth, stale=true") }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("x").attempts(5))
    }
    #expect(error?.status == 401)
    #expect(stage.stub.requests.count == 2)
  }

  @Test(arguments: [
    "Basic realm=\"r\"", "Digest realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-9",
    "Digest realm=\"r\", nonce=\"n\", qop=\"auth-conf\"",
  ])
  func `a 401 with an unsupported challenge is the response`(value: String) async throws {
    let stage = Self.stage { _ in .response(status: 401, fields: ["WWW-Authenticate": value]) }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
    #expect(error?.status == 401)
    #expect(stage.stub.requests.count == 1)
  }

  // MARK: Bodies

  @Test(arguments: [true, false], [true, false])
  func `a body is covered in the form in which it is sent`(isOnly: Bool, isCompressed: Bool) async throws {
    let stage = Self.stage(protectsBody: !isOnly) { request in
      Self.isValid(request) && Self.digest(request)["qop"] == "auth-int"
        ? .response() : Self.refused("n", isOnly ? "qop=auth-int" : "qop=\"auth,auth-int\"")
    }
    try await TemporaryFolder.using { folder in
      let file = folder.appending(path: "body")
      try Data(repeating: 7, count: 700_000).write(to: file)
      let form = MultipartForm().file("f", at: file)
      for body in [RequestBody.none, .text("hi"), .json(["a": 1]), .file(file), .multipart(form)] {
        var request = Request.post("x", body)
        if isCompressed { request = request.compressed() }
        try await stage.client.send(request.attempts(1))
      }
    }
    #expect(stage.stub.requests.count == 6)
    let encodings = Set(stage.stub.requests.dropFirst(2).map { $0.fields["Content-Encoding"] })
    #expect(encodings == [isCompressed ? "gzip" : nil])
  }

  @Test func `a stream cannot be covered, and the error says so`() async throws {
    let stage = Self.stage(protectsBody: true) { request in
      let isOnly = request.path == "/only"
      return Self.isValid(request) && !(isOnly && Self.digest(request)["qop"] == "auth")
        ? .response() : Self.refused("n", isOnly ? "qop=auth-int" : "qop=\"auth,auth-int\"")
    }
    let stream = { RequestBody.stream(AsyncStream { $0.finish() }, contentType: "text/plain") }
    // `auth` covers no body, and the challenge is known before the stream is read.
    for _ in 0..<2 { try await stage.client.send(.post("x", stream())) }
    _ = try? await stage.client.send(.get("only"))
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.post("only", stream()))
    }
    #expect(error?.code == .bodyNotReplayable)
    #expect(error?.message.contains("stream") == true)
  }

  @Test func `a file that changes after it was hashed is not sent`() async throws {
    try await TemporaryFolder.using { folder in
      let file = folder.appending(path: "body")
      try Data("one".utf8).write(to: file)
      let changes = Locked(false)
      struct Changing: Interceptor {
        let file: URL
        let changes: @Sendable () -> Bool
        func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
          if changes() { try Data("other".utf8).write(to: file) }
          return try await next(request)
        }
      }
      let stage = Stage.configured { configuration in
        configuration.baseURL = URL(string: "http://a.test/")
        configuration.authentication = .digest(user: "me", password: "word")
        configuration.attemptInterceptors = [Changing(file: file) { changes.withLock { $0 } }]
      }.responding { Self.isValid($0) ? .response() : Self.refused("n", "qop=auth-int") }
      try await stage.client.send(.put("x", .file(file)))
      changes.withLock { $0 = true }
      let error = await #expect(throws: RequestError.self) {
        try await stage.client.send(.put("x", .file(file)).attempts(1))
      }
      #expect(error?.code == .fileChanged)
      #expect(stage.stub.requests.count == 2)
    }
  }

  // MARK: Redirects

  @Test(arguments: [301, 303, 307], ["auth", "auth-int"])
  func `a redirect within the origin is sent a digest for its target`(status: Int, quality: String)
    async throws
  {
    let stage = Self.stage { request in
      guard Self.isValid(request) else { return Self.refused("n", "qop=\(quality)") }
      return request.path == "/from"
        ? .response(status: status, fields: ["Location": "/to?a=b"]) : .response(body: request.text)
    }
    for _ in 0..<2 {
      let response = try await stage.client.send(.post("from", .text("body")).attempts(1))
      #expect(response.text == (status == 307 ? "body" : ""))
    }
    #expect(stage.paths == ["/from", "/from", "/to", "/from", "/to"])
    #expect(stage.stub.requests.compactMap { Self.digest($0)["nc"]?.last } == ["1", "2", "3", "4"])
  }

  @Test func `a redirect to another origin is sent no digest`() async throws {
    let stage = Self.stage { request in
      if request.url.host() == "b.test" {
        return .response(status: 401, fields: ["WWW-Authenticate": "Digest realm=r, nonce=b, qop=auth"])
      }
      return Self.isValid(request)
        ? .response(status: 307, fields: ["Location": "http://b.test/x"]) : Self.refused("n")
    }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("x").attempts(1))
    }
    #expect(error?.status == 401)
    #expect(stage.stub.requests.map { Self.digest($0)["nonce"] } == [nil, "n", nil])
  }

  // MARK: Names

  @Test(arguments: [
    ("a:b", "p", "colon"), ("a\n", "p", "control"), ("a", "p\u{7F}", "control"), ("a\tb", "p", "control"),
  ])
  func `Basic authentication refuses a name or password that it cannot express`(
    user: String, password: String, reason: String
  ) async throws {
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = .basic(user: user, password: password)
    }.responding { _ in .response() }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("x").attempts(3))
    }
    #expect(error?.code == .invalidRequest && error?.message.contains(reason) == true)
    #expect(stage.stub.requests.isEmpty)
  }

  @Test func `Basic authentication accepts a password with a colon, and sends every letter in UTF-8`()
    async throws
  {
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = .basic(user: "t\u{EB}st \"x\"", password: "1:23\u{A3}")
    }.responding { _ in .response() }
    try await stage.client.send(.get("x"))
    let value = stage.stub.requests.first?.fields["Authorization"]
    #expect(value == "Basic \(Data("t\u{EB}st \"x\":1:23\u{A3}".utf8).base64EncodedString())")
  }

  @Test(arguments: [
    #"Digest realm="a\#u{1}b", nonce="n", qop="auth""#, #"Digest realm="r", nonce="a\#u{1}b", qop="auth""#,
    #"Digest realm="r", nonce="n", opaque="a\#u{1}b", qop="auth""#,
  ])
  func `a challenge that cannot be sent back is ignored, and does not affect later requests`(
    challenge: String
  )
    async throws
  {
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = .digest(user: "ann", password: "secret")
    }.responding { request in
      request.index == 0 ? .response(status: 401, fields: ["WWW-Authenticate": challenge]) : .response()
    }
    #expect(try await stage.client.send(.get("x").acceptingAnyStatus()).status == 401)
    #expect(try await stage.client.send(.get("x")).status == 200)
  }

  @Test func `a next nonce that cannot be sent is not used`() async throws {
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = .digest(user: "ann", password: "secret")
    }.responding { request in
      request.fields.contains("Authorization")
        ? .response(fields: ["Authentication-Info": "nextnonce=\"a\u{1}b\""])
        : .response(status: 401, fields: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
    }
    for _ in 0..<3 { #expect(try await stage.client.send(.get("x")).status == 200) }
  }
}
