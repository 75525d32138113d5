#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Signs requests. It signs each attempt freshly, once all other parts of the request are known, just before
/// the request waits for a slot.
///
/// ```swift
/// struct HubSignature: RequestSigner {
///   let key: SharedKey  // HMAC-SHA-256, of the product ErrandSigning
///
///   func sign(_ request: inout OutgoingRequest) async throws {
///     let code = try key.sign(try await request.body.bytes(limit: 10 << 20))
///     let text = code.map { String(format: "%02x", $0) }.joined()
///     request.fields.set("X-Hub-Signature-256", "sha256=\(text)", isSecret: true)
///   }
/// }
///
/// let key = try SharedKey(Data("at least 32 unpredictable bytes".utf8))
/// try await client.send(.post(hookURL, json: event).signed(by: HubSignature(key: key)))
/// ```
///
/// A signer may wait and send other requests, as an interceptor may (see `Interceptor`). It holds no slot
/// meanwhile, and a call that is cancelled, or whose deadline has passed, does not wait for it. If it throws
/// an error, nothing is sent, and the call fails with that error without another attempt.
///
/// A redirect within one origin, or to one of `ClientConfiguration.signerOrigins`, is signed for its new
/// target. If a redirect or an interceptor leads to another origin, the request has no signature, unless
/// `maySign(_:redirectedFrom:)` allows it.
public protocol RequestSigner: Sendable {
  /// Adds the signature. It may add, replace and remove header fields.
  func sign(_ request: inout OutgoingRequest) async throws

  /// Returns true if the response says that the signature was refused for a reason that this signer has
  /// corrected, such as a wrong clock. The request is then signed and sent once more, once per call, which
  /// does not count as an attempt. Default: false.
  ///
  /// It is called for responses with a status from 400, whether the request accepts it or not. It is not
  /// called if the response's body is streamed to the caller, or if the request's body cannot be read again.
  /// - Parameters:
  ///   - request: The request in the form in which it was sent.
  ///   - status: The status of the response.
  ///   - fields: The header fields of the response.
  ///   - bodyPrefix: The first 64 KiB of the response's body at most.
  func shouldSignAgain(
    _ request: OutgoingRequest, after status: HTTPStatus, _ fields: HTTPFields, bodyPrefix: Data
  ) async -> Bool

  /// Returns true if a request that a redirect or an interceptor leads to another origin is signed, too. That
  /// origin's server would learn nothing about the key, but would have a valid signature. Default: false.
  func maySign(_ target: URL, redirectedFrom url: URL) -> Bool

  /// A name for the identity that it signs for, such as the ID of its key. It is not a secret. Responses are
  /// shared and cached only among requests of one identity. Default: nil.
  ///
  /// A client's signer without a name counts as part of the client, as its interceptors do. A request's own
  /// signer without a name shares no response with others: each `signed(by:)` creates another identity.
  var identity: String? { get }
}

extension RequestSigner {
  /// False: the response goes to the caller.
  public func shouldSignAgain(
    _ request: OutgoingRequest, after status: HTTPStatus, _ fields: HTTPFields, bodyPrefix: Data
  ) async -> Bool { false }

  /// False: a request to another origin has no signature.
  public func maySign(_ target: URL, redirectedFrom url: URL) -> Bool { false }

  /// Nil: the signer has no name.
  public var identity: String? { nil }
}

/// A request that is about to be sent, with all of its header fields. They include `Content-Type`,
/// `Content-Encoding`, the client's cookies, and `Host` if it is set.
///
/// Some fields are known only later, and cannot be part of a signature: `Content-Length` (see `body.length`),
/// the transport's `Accept-Encoding`, and the `Range` and `If-Range` of a resumed download.
public struct OutgoingRequest: Sendable {
  /// The method.
  public let method: HTTPMethod
  /// The complete URL, whose host and path are part of most signatures.
  public let url: URL
  /// The header fields. A signer adds its signature here.
  public var fields: HTTPFields
  /// The body in its form on the wire: compressed and encrypted if the request asks for that. Unless it is a
  /// stream, it can be read as often as needed. A file that changes after it was first read here is not sent.
  public let body: RequestBody
  /// The time by the client's clock (`ClientConfiguration.date`).
  public let date: Date

  /// Creates a request for tests of a signer.
  public init(
    _ method: HTTPMethod, _ url: URL, fields: HTTPFields = [:], body: RequestBody = .none, date: Date
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.date = date
  }
}

extension OutgoingRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the URL, without its secrets.
  public var description: String {
    LogText.line("\(method) \(Secrets.standard.redact(url.absoluteString).clippedURL)")
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror {
    Mirror(self, children: ["request": description, "fields": fields, "body": body])
  }
}
