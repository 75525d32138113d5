// swift-format-ignore-file
import Errand
import ErrandSigning
import Foundation

struct Signing {
  let client: Client
  let pem: String
  let publicKey: any VerificationKey
  let sharedSecret: Data
  let file: URL
  let ordersURL = URL(filePath: "/")
  let fileURL = URL(filePath: "/")
  let reportsURL = URL(filePath: "/")
  let order: [String: Int]
  let fields: HTTPFields
  let body: Data

  func signed() async throws {
    let key = try PrivateKey(pem: pem, keyID: "2026-11").signingKey(for: .ed25519)
    let signer = try MessageSigner(key, covering: [.method, .targetURI, .contentDigest])

    try await client.send(.post(ordersURL, json: order).signed(by: signer))
  }

  func verified() async throws {
    var verifier = MessageVerifier(keys: [publicKey], requiring: [.method, .targetURI, .contentDigest])
    verifier.maximumAge = .seconds(300)
    verifier.nonces = MemoryNonceStore()
    try await verifier.verify(SignableMessage(.post, ordersURL, fields: fields), content: body)
  }

  func verifiedResponse() async throws {
    let order = try await client.send(.get(ordersURL).verified(by: publicKey))
    _ = order
  }

  func presigned() async throws {
    let credentials = try AWSCredentials(environment: ProcessInfo.processInfo.environment)
    let aws = try AWSSigner(region: "eu-central-1", service: "s3", credentials: credentials)
    let link = try await aws.presignedURL(for: fileURL, lifetime: .seconds(3600))
    _ = link
  }

  func webhook(_ hookURL: URL) async throws {
    let secret = WebhookSigner.makeSecret()   // once for each customer: "whsec_" and 32 random bytes in Base64
    try await client.send(.post(hookURL, json: order).idempotencyKey("order-7").signed(by: WebhookSigner(secret)))
  }

  func received(_ headers: [(name: String, value: String)], _ secret: String) throws {
    var fields = HTTPFields()
    for (name, value) in headers { fields.append(name, value) }
    let id = try WebhookSigner(secret).verify(fields, body: body)
    _ = id
  }

  func digests() async throws {
    try await client.send(.put(fileURL, .file(file)).withContentDigest(.sha256))
    try await client.download(.get(fileURL).verifyingDigest(), to: file)
  }

  func encrypted() async throws {
    let secret = try ContentKey(sharedSecret, id: "2026-11")
    try await client.send(.post(reportsURL, .file(file)).encrypted(with: secret))
    let report = try await client.send(.get(reportsURL).decrypting(with: secret))
    _ = report
  }
}
