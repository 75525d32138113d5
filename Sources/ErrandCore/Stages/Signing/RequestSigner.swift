#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Signs requests: each attempt anew, after everything else of the request is known, just before it waits for a slot.
///
/// ```swift
/// struct HubSignature: RequestSigner {
///   let key: SymmetricKey
///
///   func sign(_ request: inout OutgoingRequest) async throws {
///     let body = try await request.body.bytes(limit: 10 << 20)
///     request.fields.set("X-Hub-Signature-256", "sha256=\(hmac(body, key))", isSecret: true)
///   }
/// }
///
/// try await client.send(.post(hookURL, json: event).signed(by: HubSignature(key: key)))
/// ```
///
/// A signer may take its time and send requests of its own, as an interceptor may (see `Interceptor`): no slot is held
/// meanwhile, and a call that is cancelled, or whose deadline has passed, does not wait for it. The error that it
/// throws is the call's; nothing is sent then, and nothing is attempted again.
///
/// A redirect within one origin, or to one of `ClientConfiguration.signerOrigins`, is signed for its new target. Where a
/// redirect or an interceptor leads to another origin, the request has no signature, unless
/// `maySign(_:redirectedFrom:)` allows it.
public protocol RequestSigner: Sendable {
  /// Adds the signature: it may add, replace and remove header fields.
  func sign(_ request: inout OutgoingRequest) async throws

  /// Returns true if the response says that the signature was refused for a reason that this signer has mended, such
  /// as a clock that is wrong. The request is then signed and sent once more, once per call, which does not count as
  /// an attempt. Default: false.
  ///
  /// Asked about responses with a status from 400, whether the request accepts it or not. Not asked about a body that
  /// is streamed to the caller, nor if the request's body cannot be read again.
  /// - Parameters:
  ///   - request: The request as it was sent.
  ///   - bodyPrefix: The first 64 KiB of the response's body at most.
  func shouldSignAgain(
    _ request: OutgoingRequest, after status: HTTPStatus, _ fields: HTTPFields, bodyPrefix: Data
  ) async -> Bool

  /// Returns true if a request that a redirect or an interceptor leads to another origin is signed, too. Default: false.
  /// Its server would learn nothing of the key, but would hold a valid signature.
  func maySign(_ target: URL, redirectedFrom url: URL) -> Bool

  /// A name for the identity that it signs for, such as the id of its key; it is no secret. Responses are shared and
  /// cached only among requests of one identity. Default: nil.
  ///
  /// Without a name, the client's signer is taken to be part of the client, as its interceptors are. A signer of a
  /// request's own has no response in common with others then: each `signed(by:)` makes another identity.
  var identity: String? { get }
}

extension RequestSigner {
  public func shouldSignAgain(
    _ request: OutgoingRequest, after status: HTTPStatus, _ fields: HTTPFields, bodyPrefix: Data
  ) async -> Bool { false }

  public func maySign(_ target: URL, redirectedFrom url: URL) -> Bool { false }

  public var identity: String? { nil }
}

/// A request as it is about to be sent, with all of its header fields: also `Content-Type`, `Content-Encoding` and the
/// client's cookies, and `Host` if it is set.
///
/// Some are only known later, and can be part of no signature: `Content-Length` (see `body.length`), the
/// `Accept-Encoding` of the transport, and the `Range` and `If-Range` with which a download is resumed.
public struct OutgoingRequest: Sendable {
  public let method: HTTPMethod
  public let url: URL
  public var fields: HTTPFields
  /// The body as it goes on the wire: compressed and encrypted if the request asks for that. It can be read, as often
  /// as needed, unless it is a stream. A file that changes after it was first read here is not sent.
  public let body: RequestBody
  /// The time of the client (`ClientConfiguration.date`).
  public let date: Date

  /// Makes one for tests of a signer.
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
  public var description: String { "\(method) \(Secrets.standard.redact(url.absoluteString).clippedURL)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror {
    Mirror(self, children: ["request": description, "fields": fields, "body": body])
  }
}
