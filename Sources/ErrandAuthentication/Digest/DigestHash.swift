import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The hash functions of Digest authentication (RFC 7616, section 3.4), the best first.
enum DigestHash: String, CaseIterable, Sendable {
  case sha256 = "SHA-256"
  case md5 = "MD5"

  /// Returns the hash of a text as hexadecimal digits.
  func callAsFunction(_ text: String) -> String { self(Data(text.utf8)) }

  /// Returns the hash of data as hexadecimal digits.
  func callAsFunction(_ data: Data) -> String {
    var hash = HashState(function)
    hash.update(data)
    return hash.finalize().hexadecimal
  }

  /// Returns the hash of a body as hexadecimal digits, without holding it in memory.
  /// - Throws: The errors of `RequestBody.chunks`.
  func callAsFunction(_ body: RequestBody) async throws -> String {
    var hash = HashState(function)
    for try await chunk in body.chunks { hash.update(chunk) }
    return hash.finalize().hexadecimal
  }

  private var function: HashState.Function {
    switch self {
    case .sha256: .sha256
    case .md5: .md5
    }
  }
}
