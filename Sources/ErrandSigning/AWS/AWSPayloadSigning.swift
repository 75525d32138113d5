import ErrandCore

/// Which bodies an `AWSSigner` signs.
public enum AWSPayloadSigning: Sendable, Hashable {
  /// All: each is read once for its digest, and once more to be sent. A stream is refused, because it can be read once.
  case always
  /// All but streams, which only S3 and few other services accept. Over plain http such a body can be changed on the
  /// way.
  case exceptStreams
  /// None, which only S3 and few other services accept: bodies are read once, to be sent.
  case never
}

/// The word for a body in the canonical request.
enum AWSPayload {
  static let unsigned = "UNSIGNED-PAYLOAD"

  /// Returns the digest of the body in hexadecimal digits, or the word for one that is not signed.
  static func word(for body: RequestBody, _ signing: AWSPayloadSigning) async throws -> String {
    switch signing {
    case .never: return unsigned
    case .exceptStreams where !body.isReplayable: return unsigned
    case .always where !body.isReplayable:
      throw AWSSigningError(
        .streamedBody,
        "the body is a stream, which cannot be read for its signature and then be sent; use a body that can be "
          + "read again, or let the signer leave streams unsigned, which S3 accepts")
    default:
      var hash = SHA256()
      for try await piece in body.chunks { hash.update(piece) }
      return hash.finalize().description
    }
  }
}
