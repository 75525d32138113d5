public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// Sends `Content-Digest` (RFC 9530), unless the request has no body. Each attempt makes the digest of the
  /// body as it is sent: after compression and encryption, and before the request is signed.
  ///
  /// The body is read once for the digest and once to be sent. So a stream is refused, and so is a file that
  /// changes in between. A signature that covers `content-digest` does not need this, because its signer adds
  /// the digest.
  /// - Parameter algorithms: The algorithms, in the order of the field. Default: SHA-256.
  public func withContentDigest(_ algorithms: DigestAlgorithm...) -> Request {
    var request = self
    request.options.describe(
      by: ContentDigestSigner(algorithms: algorithms.isEmpty ? [.sha256] : algorithms))
    return request
  }

  /// Verifies the digest of each accepted response while it arrives: `Content-Digest`, and `Repr-Digest` if
  /// the representation is whole (RFC 9530, with SHA-256 and SHA-512).
  ///
  /// Digests in trailers are verified as well, unless the response has a `Content-Length` and its `Trailer`
  /// names no digest. A `Repr-Digest` in the trailers of the rest of a download is not verified.
  ///
  /// A response that does not match its digest fails with `RequestError(.integrityFailed)`: its body is not
  /// returned, and a download is not moved into place. A stream delivers the body, and then ends with the
  /// error. The rest of a resumed download is verified by its `Content-Digest`, and the whole file by its
  /// `Repr-Digest`.
  ///
  /// The request asks for digests (`Want-Content-Digest`, `Want-Repr-Digest`) and for an uncompressed
  /// response. Responses without content (to HEAD; 204, 304) are not verified. If the caller sets `Range`,
  /// only the `Content-Digest` of a 206 is verified.
  /// - Parameter isRequired: True, the default, if a response without a verifiable digest fails.
  public func verifyingDigest(isRequired: Bool = true) -> Request {
    filtered(by: DigestFilter(isRequired: isRequired))
  }
}

/// Adds the digest of the body.
struct ContentDigestSigner: RequestSigner {
  let algorithms: [DigestAlgorithm]

  var identity: String? { "Content-Digest \(algorithms.map(\.rawValue).joined(separator: " "))" }

  func sign(_ request: inout OutgoingRequest) async throws {
    if request.body.length == 0 { return }
    let digest = try await ContentDigest(of: request.body, using: algorithms)
    guard let value = try digest.serialized() else { return }
    request.fields.set(ContentDigest.fieldName, value)
  }

  /// A digest contains nothing that must be hidden from another origin.
  func maySign(_ target: URL, redirectedFrom url: URL) -> Bool { true }
}

extension IntegrityField {
  /// Makes a field with the digests of a request's body, which is read once, piece by piece.
  /// - Throws: The errors of `RequestBody.chunks`, such as `RequestError(.bodyNotReplayable)` for a stream.
  package init(of body: RequestBody, using algorithms: [DigestAlgorithm] = [.sha256]) async throws {
    self.init()
    let states = Dictionary(
      algorithms.map { ($0, DigestState($0)) }, uniquingKeysWith: { state, _ in state })
    for try await chunk in body.chunks {
      chunk.withUnsafeBytes { bytes in
        for state in states.values { state.update(bytes) }
      }
    }
    for algorithm in algorithms where self[algorithm] == nil {
      self[algorithm] = states[algorithm]?.finalize()
    }
  }
}
