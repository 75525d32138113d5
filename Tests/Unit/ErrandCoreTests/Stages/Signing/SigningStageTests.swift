import ErrandCookies
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// Signers on a request's way through the stages.
@Suite struct SigningStageTests {
  private func stage(
    _ signer: NumberingSigner?, _ change: @escaping (inout ClientConfiguration) -> Void = { _ in },
    _ handler: @escaping StubTransport.Handler = { _ in .response() }
  ) -> Stage {
    Stage.configured { configuration in
      configuration.signer = signer
      change(&configuration)
    }.responding(handler)
  }

  /// Overwrites the file with as many bytes, at a time that the file system's clock distinguishes from the
  /// first.
  private static func overwrite(_ file: URL) throws {
    try Data("after!".utf8).write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: file.path)
  }

  private func signatures(_ stage: Stage) -> [String?] {
    stage.stub.requests.map { $0.fields["X-Signature"] }
  }

  private static var chunks: AsyncStream<Data> {
    AsyncStream { stream in
      stream.yield(Data("abc".utf8))
      stream.finish()
    }
  }

  @Test func `a signer sees the request as it is sent`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Data.seeded(300_000, mask: 3), to: "file")
    let cookies = CookieStore()
    let signer = NumberingSigner()
    let stage = stage(signer) { configuration in
      configuration.cookies = cookies
      configuration.date = { Date(timeIntervalSince1970: 1_790_000_000) }
    } _: { _ in
      .response(fields: ["Set-Cookie": "a=1"])
    }
    let bodies: [RequestBody] = [
      .none, .json(["a": 1]), .file(folder.file("file")),
      .multipart(MultipartForm().file("f", at: folder.file("file"))), .bytes(Data.seeded(300_000, mask: 3)),
    ]
    for body in bodies {
      let plain = Request(.put, "http://a.test/x?y", body: body).field("X-Padded", " a ")
      try await stage.client.send(plain)
      try await stage.client.send(plain.compressed())
    }
    #expect(signer.seen.count == 2 * bodies.count)
    for (seen, sent) in zip(signer.seen, stage.stub.requests) {
      var fields = sent.fields
      fields.remove("X-Signature")
      #expect(seen.fields == fields)
      #expect(try await seen.body.bytes(limit: 1 << 20) == sent.body)
      #expect(seen.method == sent.method && seen.url == sent.url)
      #expect(seen.date == Date(timeIntervalSince1970: 1_790_000_000))
      #expect(!seen.fields.contains("Content-Length"))
    }
    #expect(signer.seen[3].fields["Content-Encoding"] == "gzip")
    #expect(signer.seen[3].fields["Content-Type"] == "application/json")
    #expect(signer.seen[2].fields["Cookie"] == "a=1")
  }

  @Test func `a signer adds, replaces and removes fields`() async throws {
    struct Changing: RequestSigner {
      func sign(_ request: inout OutgoingRequest) {
        request.fields.set("X-Old", "new")
        request.fields.remove("User-Agent")
        request.fields.remove("Content-Type")
        request.fields.append("X-More", "1")
      }
    }
    let stage = stage(nil)
    try await stage.client.send(
      .post("http://a.test/", .text("x")).field("X-Old", "old").signed(by: Changing()))
    #expect(stage.stub.requests[0].fields == ["X-Old": "new", "X-More": "1"])
  }

  @Test func `fields that a signer adds are checked like all others`() async throws {
    struct Injecting: RequestSigner {
      func sign(_ request: inout OutgoingRequest) { request.fields.set("X-A", "b\r\nX-Evil: 1") }
    }
    let stage = stage(nil)
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/").signed(by: Injecting()))
    }
    #expect(error?.code == .invalidRequest)
    #expect(stage.stub.requests.isEmpty)
  }

  @Test func `each attempt is signed separately`() async throws {
    let stage = stage(NumberingSigner()) { _ in
    } _: {
      $0.index < 2 ? .response(status: 503) : .response()
    }
    try await stage.client.send(.get("http://a.test/x").attemptsAtOnce(3))
    #expect(signatures(stage) == ["1 /x", "2 /x", "3 /x"])
  }

  @Test func `a request's own signer replaces the client's, and a request can be sent unsigned`() async throws
  {
    let stage = stage(NumberingSigner())
    let own = NumberingSigner()
    try await stage.client.send(.get("http://a.test/a"))
    try await stage.client.send(.get("http://a.test/b").signed(by: own))
    try await stage.client.send(.get("http://a.test/c").unsigned())
    try await stage.client.send(.get("http://a.test/d").signed(by: own).unsigned())
    try await stage.client.send(.get("http://a.test/e").unsigned().signed(by: own))
    #expect(signatures(stage) == ["1 /a", "1 /b", nil, nil, "2 /e"])
  }

  @Test func `a signer that an interceptor or an authenticator sets is used`() async throws {
    struct Giving: Interceptor, Authenticator {
      let signer: NumberingSigner
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        try await next(request.signed(by: signer))
      }
      func authenticate(_ request: Request, with credential: Int) -> Request { request.signed(by: signer) }
      func refresh(_ credential: Int?, _ refresh: CredentialRefresh) -> Int { 0 }
    }
    let giving = Giving(signer: NumberingSigner())
    let changes: [(inout ClientConfiguration) -> Void] = [
      { $0.interceptors = [giving] }, { $0.attemptInterceptors = [giving] },
      {
        $0.authentication = Authentication(
          CredentialSession(giving, credential: 1), at: [URL(string: "http://a.test")].compactMap { $0 })
      },
    ]
    for change in changes {
      let stage = stage(nil, change)
      try await stage.client.send(.get("http://a.test/"))
      #expect(signatures(stage) != [nil])
    }
  }

  @Test func `a signer can send requests through the same client, even without a free slot`()
    async throws
  {
    let client = Locked<Client?>(nil)
    let signer = NumberingSigner { outgoing in
      guard outgoing.url.path != "/key" else { return }
      _ = try await client.withLock { $0 }?.send(.get("http://a.test/key").unsigned())
    }
    let stage = stage(signer) { $0.limits.total = 1 }
    client.withLock { $0 = stage.client }
    defer { client.withLock { $0 = nil } }
    try await stage.client.send(.get("http://a.test/x"))
    #expect(stage.paths == ["/key", "/x"])
    await stage.expectNothingLeft()
  }

  @Test func `a signer that endlessly signs its own requests is refused`() async throws {
    let client = Locked<Client?>(nil)
    let signer = NumberingSigner { _ in
      _ = try await client.withLock { $0 }?.send(.get("http://a.test/key"))
    }
    let stage = stage(signer)
    client.withLock { $0 = stage.client }
    defer { client.withLock { $0 = nil } }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/x"))
    }
    #expect(error?.code == .unsupported)
    #expect(stage.stub.requests.isEmpty)
  }

  @Test func `a cancelled call does not wait for its signer`() async throws {
    let gate = StubGate()
    let reached = StubGate()
    let signer = NumberingSigner { _ in
      reached.open()
      // Ignores cancellation.
      await Task { try? await gate.pass() }.value
    }
    let stage = stage(signer)
    let call = stage.client.start(.get("http://a.test/"))
    try await reached.pass()
    call.cancel()
    #expect(await call.result.requestError?.isCancellation == true)
    gate.open()
    #expect(stage.stub.requests.isEmpty)
    await stage.expectNothingLeft()
  }

  @Test func `the deadline of a call ends the wait for its signer`() async throws {
    let signer = NumberingSigner { _ in try await StubGate().pass() }
    let stage = stage(signer)
    let call = stage.client.start(.get("http://a.test/").deadline(.seconds(1)))
    await stage.reachSleep(of: .seconds(1))
    await stage.clock.advance(by: .seconds(1))
    #expect(await call.result.requestError?.code == .deadlineExceeded)
    #expect(stage.stub.requests.isEmpty)
  }

  @Test func `a signer's error fails the call, and nothing is sent or retried`() async throws {
    struct NoKey: Error {}
    let count = Locked(0)
    let stage = stage(
      NumberingSigner { _ in
        count.withLock { $0 += 1 }
        throw NoKey()
      })
    await #expect(throws: NoKey.self) {
      try await stage.client.send(.get("http://a.test/").attemptsAtOnce(3))
    }
    #expect(stage.stub.requests.isEmpty)
    #expect(count.withLock { $0 } == 1)
  }

  @Test func `a file that changes after it was signed is not sent`() async throws {
    let folder = try TemporaryFolder()
    for kind in 0..<3 {
      try folder.write("before", to: "file")
      let signer = NumberingSigner { outgoing in
        _ = try await outgoing.body.bytes(limit: 1000)
        try Self.overwrite(folder.file("file"))
      }
      let stage = stage(signer)
      let file = folder.file("file")
      let body = kind == 1 ? RequestBody.multipart(MultipartForm().file("f", at: file)) : .file(file)
      let request = Request(.put, "http://a.test/", body: body)
      let error = await #expect(throws: RequestError.self) {
        try await stage.client.send((kind == 2 ? request.compressed() : request).bestEffort())
      }
      #expect(error?.code == .fileChanged)
      #expect(error?.message.contains("it changed after the request began to read it") == true)
      #expect(stage.stub.requests.isEmpty)
    }
  }

  @Test func `a file that changes while it is sent, and keeps its length, is never sent completely`()
    async throws
  {
    let folder = try TemporaryFolder()
    try folder.write("before", to: "file")
    let request = try await Request(.put, "http://a.test/", body: .file(folder.file("file")))
      .onWire(unless: CancellationToken(), FilePins())
    guard case .reader(let reader) = try request.body.open(compressed: false) else { return }
    try Self.overwrite(folder.file("file"))
    let error = #expect(throws: RequestError.self) {
      var room = [UInt8](repeating: 0, count: 100)
      _ = try room.withUnsafeMutableBytes { try reader.read(into: $0) }
    }
    #expect(error?.code == .fileChanged)
  }

  @Test func `a stream is sent once, and signed if its signer does not read it`() async throws {
    let body = RequestBody.stream(Self.chunks)
    let stage = stage(NumberingSigner())
    try await stage.client.send(.post("http://a.test/", body).compressed())
    #expect(signatures(stage) == ["1 /"])
    #expect(stage.stub.requests[0].fields["Content-Encoding"] == "gzip")
    #expect(stage.stub.requests[0].body.prefix(2) == Data([0x1F, 0x8B]))
  }

  @Test func `no description of an outgoing request shows a secret`() {
    guard let url = URL(string: "https://u:pass@a.test/?token=abc123") else { return }
    let request = OutgoingRequest(
      .get, url, fields: ["Authorization": "hidden"], body: .text("content"), date: .now)
    var text = ""
    dump(request, to: &text)
    for shown in ["\(request)", String(reflecting: request), text] {
      for secret in ["pass", "abc123", "hidden", "content"] { #expect(!shown.contains(secret)) }
    }
  }
}
