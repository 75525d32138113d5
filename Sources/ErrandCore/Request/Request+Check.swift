#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Completes requests with the client's settings, and checks them.
final class RequestNormalizer: Sendable {
  private let base: BaseURL?
  private let encoder: (@Sendable () -> JSONEncoder)?
  /// The client's header fields, with one line for each name. A request without fields uses this value
  /// without a copy.
  private let fields: HTTPFields

  init(_ configuration: ClientConfiguration) {
    base = BaseURL(configuration.baseURL)
    encoder = configuration.jsonEncoder
    var fields = HTTPFields()
    fields.appendMissing(configuration.fields)
    self.fields = fields
  }

  /// Returns the request with an absolute URL and an encoded body. If that fails, `ready` throws the reason.
  func completed(_ request: Request) -> Request {
    var request = request
    if case .relative = request.address, let base { request.address = base.complete(request.address) }
    // The content is matched here, because a call of the body's method would copy the body.
    switch request.body.content {
    case .json, .trailed: request.body = request.body.encoded(by: encoder)
    default: break
    }
    return request
  }

  /// Returns a completed request with the fields of every request of the client. It is checked here, before it
  /// waits for other calls, and a last time when it is sent (`Exchange+Check`).
  /// - Throws: `RequestError`, if the request cannot be sent.
  func ready(_ request: Request) throws(RequestError) -> Request {
    var request = request
    if request.fields.isEmpty {
      request.fields = fields
    } else {
      request.fields.appendMissing(fields)
    }
    try request.makeReady()
    return request
  }
}

extension Request {
  /// Moves credentials out of the URL, and throws the error that the last check (`Exchange+Check`) would
  /// throw. It does so early, before the request waits for other calls.
  mutating func makeReady() throws(RequestError) {
    try adoptUserOfURL()
    if let problem { throw RequestError(.invalidRequest, message: problem, reachedServer: false) }
  }

  /// Turns `https://user:password@host` into basic authentication (RFC 7617), because redirects can drop a
  /// header field.
  private mutating func adoptUserOfURL() throws(RequestError) {
    guard address.hasUser, var reference = URLReference(address.text),
      let user = reference.takeUser()
    else { return }
    if !user.isEmpty, !fields.contains("Authorization") {
      let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let name = URLBytes.decoded(parts[0])
      let password = parts.count > 1 ? URLBytes.decoded(parts[1]) : []
      if let problem = BasicCredential.problem(user: name, password: password) {
        throw RequestError(.invalidRequest, message: problem, reachedServer: false)
      }
      let credentials = Data(name + [UInt8(ascii: ":")] + password)
      fields.append("Authorization", "Basic \(credentials.base64EncodedString())")
    }
    address = Address(reference, of: reference.text)
  }
}

extension RequestError {
  /// Returns the error with the method, URL and fields of the request. An error that has a request already is
  /// returned unchanged, such as that of a request that an interceptor sent.
  func about(_ request: Request, _ secrets: Secrets) -> RequestError {
    guard method == nil else { return self }
    return about(
      request.method, request.address.named(hiding: secrets), fields?.hiding(secrets), hiding: secrets)
  }
}
