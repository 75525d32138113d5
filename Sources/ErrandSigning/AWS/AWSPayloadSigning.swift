import ErrandCore
import ErrandCrypto

/// The bodies that an `AWSSigner` signs.
public enum AWSPayloadSigning: Sendable, Hashable {
  /// All bodies. Each is read once for its digest, and once more to be sent. A stream is refused, because it
  /// can be read only once.
  case always
  /// All bodies but streams. Only S3 and few other services accept unsigned bodies. Over plain http, an
  /// unsigned body can be changed on its way.
  case exceptStreams
  /// No bodies, so that they are read only once, to be sent. Only S3 and few other services accept this.
  case never
}

/// The word for a body in the canonical request.
enum AWSPayload {
  static let unsigned = "UNSIGNED-PAYLOAD"

  /// Returns the digest of the body in hexadecimal digits, or the word for an unsigned body.
  static func word(for body: RequestBody, _ signing: AWSPayloadSigning) async throws -> String {
    switch signing {
    case .never: return unsigned
    case .exceptStreams where !body.isReplayable: return unsigned
    case .always where !body.isReplayable:
      throw SigningError(
        .invalidRequest,
        "the body is a stream, which cannot be read for its signature and then sent; use a body that can be "
          + "read again, or make the signer with payload: .exceptStreams, which S3 accepts")
    default:
      var hash = SHA256Hash()
      for try await piece in body.chunks { hash.update(piece) }
      return hash.finalize().description
    }
  }
}
