import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Adds header fields at each attempt that are not stored with a request.
struct Credentials: Interceptor {
  /// The attempts that get the header fields.
  enum Scope: Sendable, Hashable {
    /// Attempts of one request, at its own origin.
    case request(key: String, Origin?)
    /// Attempts at these origins; empty for all.
    case origins(Set<Origin>)
  }

  let fields: [HTTPFields.Field]
  let scope: Scope

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    guard covers(request) else { return try await next(request) }
    var request = request
    for field in fields {
      request.fields.remove(field.name)
    }
    for field in fields { request.fields.append(field.name, field.value, isSecret: field.isSecret) }
    return try await next(request)
  }

  func covers(_ request: Request) -> Bool {
    let origin = request.url.flatMap(Origin.init)
    switch scope {
    case .request(let key, let own): return request.fields["Idempotency-Key"] == key && origin == own
    case .origins(let origins): return origins.isEmpty || origin.map(origins.contains) ?? false
    }
  }
}

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
