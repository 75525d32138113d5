import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The request that must arrive, parted into what is stored and what is not.
struct GuaranteedRequest: Sendable {
  /// What is stored. Its key is known before, so that its tries can be told from others.
  let request: Request
  /// What goes with its tries, for they are secrets.
  let secrets: [HTTPFields.Field]
  private let key: String

  /// - Parameter keepsSecrets: True to leave secrets where they are: the outbox will say what it thinks of them.
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

  /// Adds the secrets at each try of this request, and at no other's.
  var credentials: Credentials? {
    if secrets.isEmpty { return nil }
    return Credentials(fields: secrets, scope: .request(key: key, request.url.flatMap(Origin.init)))
  }

  /// True if this is it, as the outbox sends it.
  func isSame(as other: Request) -> Bool { other.fields["Idempotency-Key"] == key }
}
