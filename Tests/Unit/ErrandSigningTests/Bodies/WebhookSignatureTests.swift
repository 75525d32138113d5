import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrandSigning

/// The most common signature: an HMAC over the body, in a header field.
@Suite struct WebhookSignatureTests {
  private static let secret = "It's a Secret to Everybody"

  /// GitHub's signature: `X-Hub-Signature-256: sha256=…`.
  private struct HubSignature: Interceptor, RequestSigner {
    let key: SharedKey

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      try await next(request.field("X-Hub-Signature-256", value(request.body), isSecret: true))
    }

    func sign(_ request: inout OutgoingRequest) async throws {
      request.fields.set("X-Hub-Signature-256", try await value(request.body), isSecret: true)
    }

    private func value(_ body: RequestBody) async throws -> String {
      "sha256=\(try key.sign(await body.bytes(limit: 10 << 20)).hexadecimalText)"
    }
  }

  /// Stripe's signature: `Stripe-Signature: t=…,v1=…`, over the time and the body.
  private struct StripeSignature: Interceptor {
    let key: SharedKey
    let time: @Sendable () -> Int

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let time = time()
      let signed = Data("\(time).".utf8) + (try await request.body.bytes(limit: 10 << 20))
      let signature = try key.sign(signed).hexadecimalText
      return try await next(request.field("Stripe-Signature", "t=\(time),v1=\(signature)", isSecret: true))
    }
  }

  private let key: SharedKey
  private let folder = try? TemporaryFolder()

  init() throws { key = try SharedKey(Data(Self.secret.utf8)) }

  /// Verifies as GitHub's documentation says.
  private func verifyHub(_ request: MockRequest) throws {
    let signature = request.fields["X-Hub-Signature-256"]?.dropFirst("sha256=".count)
    guard let signature, try key.isValid(Data(hexadecimalText: signature), for: request.body) else {
      throw Refused()
    }
  }

  /// Verifies as Stripe's documentation says: at most 5 minutes old.
  private func verifyStripe(_ request: MockRequest, now: Int) throws {
    let parts = (request.fields["Stripe-Signature"] ?? "").split(separator: ",").map {
      $0.split(separator: "=")
    }
    guard parts.count == 2, let time = Int(parts[0][1]), abs(now - time) <= 300,
      try key.isValid(
        Data(hexadecimalText: parts[1][1]), for: Data("\(time).".utf8) + request.body)
    else { throw Refused() }
  }

  private struct Refused: Error {}

  @Test func `GitHub's example has GitHub's documented signature`() async throws {
    var request = OutgoingRequest(
      .post, try #require(URL(string: "http://a.test")), body: .text("Hello, World!"), date: .now)
    try await HubSignature(key: key).sign(&request)
    #expect(
      request.fields["X-Hub-Signature-256"]
        == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
  }

  /// Bodies of each kind that can be read again.
  private func bodies() throws -> [RequestBody] {
    let folder = try #require(folder)
    try folder.write(Data.seeded(300_000), to: "file")
    let file = folder.file("file")
    return [
      .none, .text("a"), .json(["b": 1]), .form(["a": "b"]), .bytes(Data.seeded(200_000)), .file(file),
      .multipart(MultipartForm().field("a", "b").file("f", at: file)),
    ]
  }

  @Test func `an attempt interceptor signs each attempt as GitHub and Stripe do`() async throws {
    let times = Mutex(1000)
    let key = key
    let wire = try Wire {
      $0.attemptInterceptors = [
        HubSignature(key: key),
        StripeSignature(key: key) {
          times.withLock {
            $0 += 1
            return $0
          }
        },
      ]
    }
    let failures = Mutex(0)
    wire.server.on(
      "/hook",
      verifying: { request in
        try verifyHub(request)
        try verifyStripe(request, now: 1100)
      },
      handler: { _ in
        // Each request needs two attempts.
        failures.withLock {
          $0 += 1
          return $0
        } % 2 == 1 ? .response(status: 503) : .response()
      })
    for body in try bodies() {
      try await wire.client.send(Request(.put, wire.server.url("/hook"), body: body))
    }
    let signatures = wire.server.requests.map { $0.fields["Stripe-Signature"] }
    #expect(Set(signatures).count == 14)
  }

  @Test func `a body that is changed in transit is refused`() async throws {
    let key = key
    let proxy = try MockServer()
    let wire = try Wire {
      $0.signer = HubSignature(key: key)
      $0.signerOrigins = [proxy.url("/")]
    }
    wire.server.on("/hook", verifying: { try verifyHub($0) }, handler: { _ in .response() })
    proxy.forward(
      "/hook", to: wire.server, by: Client(transport: CurlTransport()),
      changing: { request in
        if request.fields.contains("X-Evil") { request.body = .text("{}") }
      })
    let request = Request.post(proxy.url("/hook"), json: ["a": 1])
    try await wire.client.send(request)
    let error = await #expect(throws: RequestError.self) {
      try await wire.client.send(request.field("X-Evil", "1").bestEffort())
    }
    #expect(error?.status == 401)
  }

  @Test(arguments: [false, true])
  func `requests of an outbox are signed when they are delivered, and the signature is not stored`(
    isEncrypted: Bool
  ) async throws {
    let key = key
    let wire = try Wire {
      $0.attemptInterceptors = [StripeSignature(key: key) { Int(Date.now.timeIntervalSince1970) }]
      $0.signer = HubSignature(key: key)
    }
    wire.server.on(
      "/hook",
      verifying: { request in
        try verifyHub(request)
        try verifyStripe(request, now: Int(Date.now.timeIntervalSince1970))
      }, handler: { _ in .response() })
    let folder = try #require(folder)
    var configuration = OutboxConfiguration()
    configuration.reachability = nil
    if isEncrypted { configuration.key = .random() }
    let outbox = try await Outbox(
      at: folder.file("outbox"), client: wire.client, configuration: configuration)
    for body in try bodies() {
      let receipt = try await outbox.enqueue(.post(wire.server.url("/hook"), body))
      guard case .delivered = try await receipt.outcome() else {
        Issue.record("\(body) was not delivered")
        continue
      }
    }
    await outbox.close()
  }

  @Test func `a request with its own signer is not stored`() async throws {
    let wire = try Wire()
    let folder = try #require(folder)
    let outbox = try await Outbox(at: folder.file("outbox"), client: wire.client)
    let post = Request.post(wire.server.url("/hook"), .text("a"))
    let key = try ContentKey.random()
    for request in [
      post.signed(by: HubSignature(key: self.key)), post.withContentDigest(), post.verifyingDigest(),
      post.encrypted(with: key), post.decrypting(with: key),
    ] {
      let error = await #expect(throws: OutboxError.self) { try await outbox.enqueue(request) }
      #expect(error?.code == .notStorable)
      #expect("\(error as Any)".contains("client"))
    }
    await outbox.close()
  }
}

extension Data {
  /// The bytes in lower-case hexadecimal digits.
  var hexadecimalText: String { map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() }

  /// Parses hexadecimal digits; returns no bytes for any other text.
  init(hexadecimalText text: Substring) {
    let digits = text.compactMap(\.hexDigitValue)
    self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
  }
}
