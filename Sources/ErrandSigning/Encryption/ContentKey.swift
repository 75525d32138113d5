import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The input keying material of the `aes128gcm` content coding (RFC 8188, section 2.2), and its name. It can
/// be used for many messages, because each is encrypted with a separate key that is derived from it.
///
/// ```swift
/// let key = ContentKey.random(id: "2026-07")
/// ```
///
/// Its descriptions do not show the key.
public struct ContentKey: Sendable {
  /// The name by which a recipient finds the key: at most 255 bytes, usually UTF-8. It is sent with the
  /// content, unencrypted.
  public let id: Data
  let secret: SecretBytes

  /// Makes a key from bytes.
  /// - Parameters:
  ///   - data: The key, usually at least 16 unpredictable bytes. A password is too predictable: derive a key
  ///     from it first.
  ///   - id: The key's name, of at most 255 bytes.
  /// - Throws: `.invalidParameter` if the key is empty or its name too long.
  public init(_ data: Data, id: Data = Data()) throws(SigningError) {
    guard !data.isEmpty else {
      throw SigningError(
        .invalidParameter, "a content key is empty; make one with ContentKey.random(id:)")
    }
    guard id.count <= EncryptionHeader.maximumIDLength else {
      throw SigningError(
        .invalidParameter,
        "the name of a content key has \(id.count) bytes; give it one of at most \(EncryptionHeader.maximumIDLength)"
      )
    }
    self.id = Data(id)
    secret = SecretBytes(data)
  }

  /// Makes a key from bytes, with a name of at most 255 bytes of UTF-8.
  /// - Throws: `.invalidParameter` if the key is empty or its name too long.
  public init(_ data: Data, id: String) throws(SigningError) {
    try self.init(data, id: Data(id.utf8))
  }

  /// Returns a new key of 16 bytes, from the system's source of randomness.
  /// - Throws: `.invalidParameter` if the name has more than 255 bytes.
  public static func random(id: String = "") throws(SigningError) -> ContentKey {
    try ContentKey(.random(16), id: id)
  }

  /// Returns a whole body encrypted with this key, as `Request.encrypted(with:)` sends it and
  /// `Request.decrypting(with:)` reads it. For servers and tests.
  /// - Throws: `.tooManyRecords` if the body is too long for one key.
  public func encrypt(_ body: Data) throws(SigningError) -> Data {
    var encoder = try AES128GCMEncoder(key: self)
    return try encoder.update(body) + encoder.finish()
  }

  /// Returns a whole decrypted body. For servers and tests.
  /// - Throws: `.malformed`, `.truncated` or `.recordTooLarge` if the body does not have the form of RFC 8188,
  ///   `.unknownKey` if it names another key, `.damaged` if it was changed or encrypted with another key.
  public func decrypt(_ body: Data) throws(SigningError) -> Data {
    var decoder = AES128GCMDecoder()
    var content = try decoder.update(body)
    if let id = decoder.neededKeyID { content += try decoder.use(ContentKeys([self]).contentKey(for: id)) }
    return try content + decoder.finish()
  }

  /// A digest of the key and its name, which differs for each key, even among keys with the same name.
  var fingerprint: String {
    SHA256Digest(hashing: Data("errand content key \(id.count) ".utf8) + id + data).description
  }

  /// The secret bytes of the key, to be given to the recipient.
  public var data: Data { secret.withUnsafeBytes { Data($0) } }
}

extension ContentKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "ContentKey(\(Self.shown(id)))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["id": Self.shown(id)]) }

  /// Returns a name in quotes if it is plain text, else in hexadecimal, because the name may come from
  /// anywhere.
  static func shown(_ id: Data) -> String {
    let isPlain = id.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain { return "\"\(String(decoding: id, as: UTF8.self))\"" }
    let digits = Array("0123456789abcdef".utf8)
    return "0x"
      + String(decoding: id.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
