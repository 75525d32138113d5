import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The key of an encrypted outbox: 32 bytes, for AES-256-GCM. Store it with the system's secrets (the
/// keychain, a secret of the deployment), never beside the outbox. The stored requests cannot be read without
/// it.
///
/// ```swift
/// let key = OutboxKey.random()
/// try keychain.save(key.data)
/// ```
///
/// Its descriptions do not show it.
public struct OutboxKey: Sendable, Equatable {
  /// The number of bytes of a key.
  package static let byteCount = 32

  /// The bytes of the key, to be stored in a safe place.
  public let data: Data

  /// Creates a key from its bytes.
  /// - Parameter data: 32 unpredictable bytes. To use a password, derive a key from it first (HKDF, scrypt).
  /// - Throws: `OutboxError.wrongKey` if the number of bytes is not 32.
  public init(_ data: Data) throws(OutboxError) {
    guard data.count == Self.byteCount else {
      throw OutboxError(
        .wrongKey,
        "the key of an outbox has \(Self.byteCount) bytes, not \(data.count); create one with OutboxKey.random()"
      )
    }
    self.data = Data(data)
  }

  private init(unchecked data: Data) { self.data = data }

  /// Returns a new key, from the system's source of randomness.
  public static func random() -> OutboxKey { OutboxKey(unchecked: .random(byteCount)) }

  /// Identifies the key without revealing it.
  var fingerprint: Data {
    Data(SHA256Digest(hashing: Data("errand outbox key".utf8) + data).bytes.prefix(Self.fingerprintLength))
  }

  static let fingerprintLength = 8
}

extension OutboxKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "OutboxKey(***)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["key": "***"]) }
}

extension OutboxKey {
  /// Returns a digest that is the same for the same text, and that reveals nothing about the text without the
  /// key: the first half of HMAC-SHA-256 (RFC 2104).
  func digest(of text: String) -> String {
    String(SHA256Digest(of: Data("origin \(text)".utf8), key: data).description.prefix(32))
  }
}
