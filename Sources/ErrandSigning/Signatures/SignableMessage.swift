public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The head of a message: the parts that a signature can cover (RFC 9421, section 2).
///
/// ```swift
/// let request = SignableMessage(.post, url, fields: fields)
/// let response = SignableMessage(200, fields: responseFields, answering: request)
/// ```
///
/// A signature covers the content by its digest: see `ContentDigest`.
public struct SignableMessage: Sendable {
  enum Start: Sendable {
    case request(HTTPMethod, URL, target: String?)
    indirect case response(HTTPStatus, to: SignableMessage?)
  }

  let start: Start
  /// The header fields, one for each line.
  public var fields: HTTPFields

  /// Makes the head of a request.
  /// - Parameters:
  ///   - method: The method.
  ///   - url: The whole URL. Its fragment and its user are ignored. A `Host` field overrides its host and
  ///     port, as when a request is sent.
  ///   - fields: The header fields, one for each line.
  ///   - requestTarget: The target in the request's first line, unless it is the path and the query. For a
  ///     request to a proxy, it is the whole URL.
  public init(_ method: HTTPMethod, _ url: URL, fields: HTTPFields = [:], requestTarget: String? = nil) {
    self.init(start: .request(method, url, target: requestTarget), fields: fields)
  }

  /// Makes the head of a response.
  /// - Parameters:
  ///   - status: The status.
  ///   - fields: The header fields, one for each line.
  ///   - request: The request that the response belongs to, for components with `req`.
  public init(_ status: HTTPStatus, fields: HTTPFields = [:], answering request: SignableMessage? = nil) {
    self.init(start: .response(status, to: request), fields: fields)
  }

  private init(start: Start, fields: HTTPFields) { (self.start, self.fields) = (start, fields) }

  /// Returns the bytes that are signed (RFC 9421, section 2.5). They contain the values of all covered
  /// components, which may be secret.
  /// - Throws: `.componentUnavailable`, `.invalidComponent`.
  @_spi(Benchmarks)
  public func signatureBase(
    for parameters: SignatureParameters, structuredFields: [String: StructuredFieldType] = [:]
  ) throws(SigningError) -> Data {
    var base = SignatureBase(self, StructuredFieldTypes(structuredFields))
    for component in parameters.components { try base.append(component) }
    return base.finished(parameters.value.utf8)
  }
}

extension SignableMessage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    switch start {
    case .request(let method, _, _): "\(method) request"
    case .response(let status, _): "response \(status.code)"
    }
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["message": description]) }
}
