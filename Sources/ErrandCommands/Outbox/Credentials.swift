import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Adds header fields that are not stored with a request to each of its attempts.
struct Credentials: Interceptor {
  /// The attempts that receive the header fields.
  enum Scope: Sendable, Hashable {
    /// Attempts of the request with this idempotency key, at its origin.
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

/// Adds credentials that the user gave for servers to each attempt that has none: a token that the command line names,
/// and those of the file of options for the host. A file with a token is read at each attempt, because it may be
/// replaced at any time.
struct ServerCredentials: Interceptor {
  /// `--bearer`, for these origins.
  let credentials: CredentialArguments
  let origins: Set<Origin>
  let file: ConfigFile

  /// Returns nil if there is nothing to add to any attempt.
  init?(
    _ credentials: CredentialArguments = CredentialArguments(), at origins: Set<Origin> = [], file: ConfigFile
  ) {
    guard credentials.scheme != nil || file.namesHosts else { return nil }
    (self.credentials, self.origins, self.file) = (credentials, origins, file)
  }

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    guard let url = request.url else { return try await next(request) }
    var request = request
    do {
      if let origin = Origin(url), origins.contains(origin),
        let value = try Login(credentials, at: url).authorization
      {
        request.fields.remove("Authorization")
        request.fields.append("Authorization", value.text, isSecret: true)
      }
      for field in try file.credentials(for: url) where !request.fields.contains(field.name) {
        request.fields.append(field.name, field.value, isSecret: field.isSecret)
      }
    } catch {
      throw RequestError(.refreshFailed, message: CommandFailure(error).message, reachedServer: false)
    }
    return try await next(request)
  }
}

/// A request to deliver, split into the stored part and the secrets.
struct GuaranteedRequest: Sendable {
  /// The request to store. It already has its idempotency key, which identifies its attempts.
  let request: Request
  /// The secret header fields, which are added at each attempt.
  let secrets: [HTTPFields.Field]
  private let key: String

  /// - Parameter keepsSecrets: True to leave secrets in the request, so that the outbox refuses or stores them.
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

  /// The interceptor that adds the secrets to the attempts of this request only; nil without secrets.
  var credentials: Credentials? {
    if secrets.isEmpty { return nil }
    return Credentials(fields: secrets, scope: .request(key: key, request.url.flatMap(Origin.init)))
  }

  /// Returns true if `other` is an attempt of this request.
  func isSame(as other: Request) -> Bool { other.fields["Idempotency-Key"] == key }
}
