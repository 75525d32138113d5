import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@testable import ErrandSigning

@Suite(.timeLimit(.minutes(1))) struct WebhookSignerTests {
  /// The example of the standard's libraries.
  private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private let date = Date(timeIntervalSince1970: 1_614_265_330)
  private let body = Data(#"{"test": 2432232314}"#.utf8)
  private var fields: HTTPFields {
    [
      "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp": "1614265330",
      "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ]
  }

  @Test func `the standard's example is signed and verified`() async throws {
    let signer = try WebhookSigner(secret)
    var request = OutgoingRequest(
      .post, URL(string: "https://a.test/")!, fields: ["Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek"],
      body: .bytes(body), date: date)
    try await signer.sign(&request)
    #expect(request.fields["Webhook-Signature"] == fields["Webhook-Signature"])
    #expect(request.fields["Webhook-Timestamp"] == "1614265330")
    #expect(try signer.verify(fields, body: body, at: date) == "msg_p5jXN8AQM9LWM0D4loKWxJek")
  }

  @Test func `a second secret, and a signature of another version, are passed over`() throws {
    var fields = fields
    fields["Webhook-Signature"] = "v1a,AAAA v1,AAAA not-one \(fields["Webhook-Signature"]!)"
    try WebhookSigner(secret).verify(fields, body: body, at: date)
  }

  @Test func `what is changed, old, early or incomplete is refused`() throws {
    let signer = try WebhookSigner(secret)
    func code(_ change: (inout HTTPFields) -> Void, _ body: Data? = nil, after seconds: Double = 0)
      -> SigningError.Code?
    {
      var fields = fields
      change(&fields)
      do {
        try signer.verify(fields, body: body ?? self.body, at: date + seconds)
        return nil
      } catch { return error.code }
    }
    #expect(code { _ in } == nil)
    #expect(code({ _ in }, Data("{}".utf8)) == .invalidSignature)
    #expect(code { $0["Webhook-Id"] = "msg_other" } == .invalidSignature)
    #expect(code { $0["Webhook-Timestamp"] = "1614265331" } == .invalidSignature)
    #expect(code({ _ in }, after: 300) == nil)
    #expect(code({ _ in }, after: 301) == .expired)
    #expect(code({ _ in }, after: -301) == .notYetValid)
    #expect(code { $0["Webhook-Timestamp"] = "soon" } == .malformed)
    for name in ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"] {
      #expect(code { $0[name] = nil } == .noSignature)
    }
  }

  /// With a full stop, a webhook whose body begins with a number could be sent again under another id.
  @Test(arguments: ["a.1614265330", "", " ", "a b", "\u{e4}"])
  func `an id that is none is neither signed nor verified`(id: String) async throws {
    let signer = try WebhookSigner(secret)
    var request = OutgoingRequest(
      .post, URL(string: "https://a.test/")!, fields: ["Webhook-Id": id], body: .bytes(body), date: date)
    await #expect(throws: SigningError.self) { try await signer.sign(&request) }
    var shifted = fields
    shifted["Webhook-Id"] = id
    let error = #expect(throws: SigningError.self) { try signer.verify(shifted, body: body, at: date) }
    #expect(error?.code == .malformed)
  }

  @Test func `a signature in a second line counts, and a fraction of a second`() throws {
    var fields = fields
    let own = fields["Webhook-Signature"]!
    fields["Webhook-Signature"] = nil
    for value in [own, "v1,AAAA"] { fields.append("Webhook-Signature", value) }
    try WebhookSigner(secret).verify(fields, body: body, at: date)
    try WebhookSigner(secret).verify(fields, body: body, at: date + 0.05, tolerance: .milliseconds(500))
    #expect(throws: SigningError.self) {
      try WebhookSigner(secret).verify(fields, body: body, at: Date(timeIntervalSince1970: 1e19))
    }
  }

  @Test(arguments: ["", "whsec_", "whsec_AAAA", "whsec_!!!", "hello"])
  func `a secret that is none is refused`(secret: String) {
    let error = #expect(throws: SigningError.self) { try WebhookSigner(secret) }
    #expect(error?.code == .invalidKey)
    #expect(error.map { "\($0)".contains("AAAA") } == false)
  }

  @Test func `all attempts have the id of the first, and each its own signature`() async throws {
    let server = try MockServer()
    server.script("POST", "/hook", [.response(status: 503), .response(status: 204)])
    let signer = try WebhookSigner(WebhookSigner.makeSecret())
    let request = Request.post(server.url("/hook"), json: ["a": 1]).idempotencyKey("event-7")
    try await Client(transport: CurlTransport()).send(request.signed(by: signer))
    #expect(server.requests.count == 2)
    for request in server.requests {
      #expect(try signer.verify(request.fields, body: request.body) == "event-7")
    }
  }

  @Test func `a webhook without an id is not sent`() async throws {
    let server = try MockServer()
    let request = Request.post(server.url("/hook"), json: ["a": 1]).signed(by: try WebhookSigner(secret))
    await #expect(throws: SigningError.self) { try await Client(transport: CurlTransport()).send(request) }
    #expect(server.requests.isEmpty)
  }
}
