public import ErrandCore
import ErrandStructuredFields

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Signs webhooks, and verifies those of others, as [Standard Webhooks](https://www.standardwebhooks.com) says, with a
/// secret of each customer and HMAC-SHA-256.
///
/// ```swift
/// try await client.send(.post(url, json: event).signed(by: WebhookSigner(secret)))
/// ```
///
/// The signature covers the request's id, the time of the attempt, and the body. The fields are `Webhook-Id`,
/// `Webhook-Timestamp` and `Webhook-Signature`. The id is the same for all attempts, so that a receiver can recognize a
/// repeat. Requests of an outbox cannot be stored with a signer: give it to them in one of the client's
/// `attemptInterceptors`.
public struct WebhookSigner: RequestSigner {
  private static let prefix = "whsec_"
  private let key: SharedKey

  /// Makes a signer with a secret.
  /// - Parameter secret: The bytes of the secret in Base64, with or without `whsec_` before them. The standard asks for 24
  ///   to 64 bytes; `makeSecret()` makes one of 32.
  /// - Throws: `SigningError.invalidKey` if it is not Base64, or has fewer than 24 bytes.
  public init(_ secret: String) throws(SigningError) {
    let text = secret.hasPrefix(Self.prefix) ? String(secret.dropFirst(Self.prefix.count)) : secret
    guard let data = Data(base64Encoded: text), data.count >= 24 else {
      throw SigningError(
        .invalidKey, "the secret of a webhook is \(Self.prefix) and at least 24 bytes in Base64")
    }
    key = try SharedKey(data)
  }

  /// Returns a new secret of 32 random bytes, for a customer.
  public static func makeSecret() -> String {
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    return prefix + Data(bytes).base64EncodedString()
  }

  /// Adds the three fields. The id is the request's `Webhook-Id`, or its `Idempotency-Key`, which an outbox adds.
  /// - Throws: `SigningError.invalidRequest` if the request has neither, if the id is empty or has a full stop, a space or
  ///   a character that is not ASCII, or if the body is a stream.
  public func sign(_ request: inout OutgoingRequest) async throws {
    guard let id = request.fields["Webhook-Id"] ?? Self.key(of: request) else {
      throw SigningError(
        .invalidRequest,
        "a webhook needs an id, which all its attempts have in common: set the request's idempotencyKey"
      )
    }
    guard Self.isID(id) else {
      throw SigningError(
        .invalidRequest,
        "the id of a webhook is empty, or has a full stop, a space or a character that is not ASCII")
    }
    guard request.body.isReplayable else {
      throw SigningError(
        .invalidRequest, "the body of a webhook is a stream, which cannot be read for its signature")
    }
    let time = String(Int(request.date.timeIntervalSince1970.rounded(.down)))
    var content = Self.beginning(id, time)
    for try await piece in request.body.chunks { content.append(contentsOf: piece) }
    request.fields["Webhook-Id"] = id
    request.fields["Webhook-Timestamp"] = time
    request.fields["Webhook-Signature"] = try "v1," + key.sign(content).base64EncodedString()
  }

  /// Verifies a webhook that was received.
  ///
  /// A sender repeats a webhook whose response it did not get, and `verify` does not remember ids. Store each id with
  /// the effect of its webhook, for as long as the sender repeats, and at least for twice the `tolerance`.
  /// - Parameters:
  ///   - fields: The request's header fields.
  ///   - body: The body as it came, not decoded and encoded again.
  ///   - date: The present time.
  ///   - tolerance: How far the sender's clock may differ, and how old an attempt may be.
  /// - Returns: The id.
  /// - Throws: `SigningError`: `.noSignature` without one of the fields, `.malformed`, `.expired` and `.notYetValid` for
  ///   the time, `.invalidSignature` if no signature is that of the secret.
  @discardableResult
  public func verify(
    _ fields: HTTPFields, body: Data, at date: Date = Date(), tolerance: Duration = .seconds(300)
  ) throws(SigningError) -> String {
    let signatures = fields.values(of: "Webhook-Signature")
    guard let id = fields["Webhook-Id"], let time = fields["Webhook-Timestamp"], !signatures.isEmpty else {
      throw SigningError(.noSignature, "the request has no signature of Standard Webhooks")
    }
    guard let seconds = Int64(time), seconds >= 0 else {
      throw SigningError(.malformed, "Webhook-Timestamp is not a number of seconds")
    }
    guard Self.isID(id) else { throw SigningError(.malformed, "Webhook-Id is not an id") }
    let age = date.timeIntervalSince1970 - Double(seconds)
    let limit = Double(tolerance.components.seconds) + Double(tolerance.components.attoseconds) / 1e18
    guard age <= limit else { throw SigningError(.expired, "the webhook was sent too long ago") }
    guard age >= -limit else { throw SigningError(.notYetValid, "the webhook was sent in the future") }
    // Computed once: anybody can send a request with thousands of signatures.
    let own = try key.sign(Self.beginning(id, time) + body)
    for signature in signatures.flatMap({ $0.split(separator: " ") }) where signature.hasPrefix("v1,") {
      guard let code = Data(base64Encoded: String(signature.dropFirst(3))) else { continue }
      if ConstantTime.isEqual(code, own) { return id }
    }
    throw SigningError(.invalidSignature, "no signature of the webhook is that of the secret")
  }

  /// Returns the idempotency key, without the quotation marks that the field has (RFC 9651).
  private static func key(of request: OutgoingRequest) -> String? {
    guard let field = request.fields["Idempotency-Key"] else { return nil }
    return (try? StructuredItem(parsing: [field], maximumBytes: 4096))?.string ?? field
  }

  /// Returns true for visible ASCII without a full stop. With one, the end of the id could pass for the time, and the time
  /// for the beginning of the body.
  private static func isID(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 33...126 ~= $0 && $0 != UInt8(ascii: ".") }
  }

  /// Returns the signed content up to the body.
  private static func beginning(_ id: String, _ time: String) -> Data { Data("\(id).\(time).".utf8) }
}
