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

  func intercept(_ request: Request, next: Next) async throws -> Response {
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
