public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// Sends `Content-Digest` (RFC 9530), made anew for each attempt of the body as it goes on the wire: after it was
  /// compressed and encrypted, and before the request is signed. A request without a body has none.
  ///
  /// The body is read once for the digest and once to be sent, so a stream is refused, and so is a file that changes
  /// in between. A signature that covers `content-digest` needs this not: its signer adds the digest.
  /// - Parameter algorithms: The algorithms, in the order of the field. Default: SHA-256.
  public func withContentDigest(_ algorithms: DigestAlgorithm...) -> Request {
    var request = self
    request.options.describe(
      by: ContentDigestSigner(algorithms: algorithms.isEmpty ? [.sha256] : algorithms))
    return request
  }

  /// Verifies the digest of each response that is accepted, while it arrives: `Content-Digest`, and `Repr-Digest` where
  /// the representation is whole (RFC 9530, with SHA-256 and SHA-512).
  ///
  /// A response that is not what its digest says fails with `RequestError(.integrityFailed)`: nothing of it is
  /// returned, a download is not moved into place, and a stream ends with the error, after what came before. The rest
  /// of a download that is resumed is verified by its own `Content-Digest`, and the file by its `Repr-Digest`.
  ///
  /// The request asks for digests (`Want-Content-Digest`, `Want-Repr-Digest`) and for a response that is not compressed.
  /// Responses without content (to HEAD; 204, 304) have nothing to verify, nor has a 206 to a `Range` of the caller's
  /// own but its `Content-Digest`.
  /// - Parameter isRequired: True, the default, if a response fails that has no digest that can be verified.
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

  /// A digest says nothing that another origin must not know.
  func maySign(_ target: URL, redirectedFrom url: URL) -> Bool { true }
}

extension IntegrityField {
  /// Makes the digests of a request's body, which is read once, piece by piece.
  /// - Throws: As `RequestBody.chunks` does: `RequestError(.bodyNotReplayable)` for a stream.
  public init(of body: RequestBody, using algorithms: [DigestAlgorithm] = [.sha256]) async throws {
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
