import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request to be delivered, split into the part that is stored and the secrets that are not.
struct GuaranteedRequest: Sendable {
  /// The request as it is stored. It has its idempotency key already, by which its attempts are recognized.
  let request: Request
  /// The secret header fields, which are added at each attempt.
  let secrets: [HTTPFields.Field]
  private let key: String

  /// - Parameter keepsSecrets: True to leave secrets in the request, so that the outbox decides about them.
  init(_ request: Request, keepsSecrets: Bool) {
    var request = request
    if !request.fields.contains("Idempotency-Key") {
      request = request.idempotencyKey(UUID().uuidString.lowercased())
    }
    secrets = keepsSecrets ? [] : request.fields.filter(Secrets.standard.covers)
    for field in secrets { request.fields.remove(field.name) }
    key = request.fields["Idempotency-Key"] ?? ""
    self.request = request
  }

  /// Adds the secrets at each attempt of this request, and of no other.
  var credentials: Credentials? {
    if secrets.isEmpty { return nil }
    return Credentials(fields: secrets, scope: .request(key: key, request.url.flatMap(Origin.init)))
  }

  /// Returns true if the outbox sent `other` for this request.
  func isSame(as other: Request) -> Bool { other.fields["Idempotency-Key"] == key }
}
