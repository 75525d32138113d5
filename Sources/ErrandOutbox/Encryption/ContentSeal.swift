import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Wraps stored data: encrypted with a key, and unchanged without one. The first byte
/// distinguishes them. With a key, unencrypted data is refused, because any program could have written it. To
/// read the older requests of an outbox that gets a key later, set `OutboxConfiguration.acceptsPlaintext`.
///
/// | bytes | plain | encrypted |
/// |---|---|---|
/// | 1 | 1 | 2 |
/// | 8 | | fingerprint of the key |
/// | 12 | | nonce |
/// | … | the data | the ciphertext |
/// | 16 | | tag |
struct ContentSeal: Sendable {
  private enum Form: UInt8 {
    case plain = 1
    case sealed = 2
  }

  let key: OutboxKey?
  private let fingerprint: Data
  /// True if unencrypted data is accepted; always true without a key.
  let acceptsPlaintext: Bool

  init(_ key: OutboxKey?, acceptsPlaintext: Bool = false) {
    self.key = key
    self.acceptsPlaintext = key == nil || acceptsPlaintext
    fingerprint = key?.fingerprint ?? Data()
  }

  func wrap(_ data: Data, as part: SealedPart) -> Data {
    guard let key else { return Data([Form.plain.rawValue] + [UInt8](data)) }
    return Data([Form.sealed.rawValue]) + fingerprint
      + AESGCM.seal(data, with: key.data, authenticating: part.context)
  }

  /// Returns the wrapped data.
  /// - Throws: `.wrongKey` if the data was encrypted with another key, if it is encrypted and there is no
  ///   key, or if it is plain and there is a key; `.damaged` if it has changed since it was wrapped.
  func unwrap(_ wrapped: Data, as part: SealedPart) throws(OutboxError) -> Data {
    switch wrapped.first.flatMap(Form.init) {
    case .plain:
      guard acceptsPlaintext else { throw Self.plaintext(part) }
      return Data(wrapped.dropFirst())
    case .sealed: return try open(Data(wrapped.dropFirst()), part)
    case nil: throw Self.damaged(part)
    }
  }

  private func open(_ wrapped: Data, _ part: SealedPart) throws(OutboxError) -> Data {
    let start = OutboxKey.fingerprintLength
    guard wrapped.count >= start + AESGCM.nonceLength + AESGCM.tagLength else { throw Self.damaged(part) }
    let key = try key(for: wrapped.prefix(start), part)
    guard let data = AESGCM.open(wrapped.dropFirst(start), with: key.data, authenticating: part.context)
    else { throw Self.damaged(part) }
    return data
  }

  static func isSealed(_ wrapped: Data) -> Bool { wrapped.first == Form.sealed.rawValue }

  /// Returns the key, if it has this fingerprint.
  func key(for fingerprint: Data, _ part: SealedPart) throws(OutboxError) -> OutboxKey {
    guard let key else {
      throw OutboxError(
        .wrongKey, "the \(part) is encrypted, but the outbox has no key; open it with the key it had")
    }
    guard fingerprint == self.fingerprint else {
      throw OutboxError(
        .wrongKey, "the \(part) is encrypted with another key; open the outbox with the key it had")
    }
    return key
  }

  private static func plaintext(_ part: SealedPart) -> OutboxError {
    OutboxError(
      .wrongKey,
      "the \(part) is not encrypted, but the outbox has a key: any program may have written it; if it was stored before there "
        + "was a key, open the outbox with acceptsPlaintext")
  }

  static func damaged(_ part: SealedPart) -> OutboxError {
    OutboxError(.damaged, "the \(part) is damaged: its bytes have changed since it was stored")
  }
}

/// The kind and the owner of an encrypted piece. Both are authenticated, so that no piece decrypts in place
/// of another.
struct SealedPart: Sendable, Hashable, CustomStringConvertible {
  private let name: String
  private let owner: String

  static func summary(of id: OutboxID) -> SealedPart { SealedPart(name: "summary", owner: id.rawValue) }
  static func content(of id: OutboxID) -> SealedPart { SealedPart(name: "content", owner: id.rawValue) }
  static func response(of id: OutboxID) -> SealedPart { SealedPart(name: "answer", owner: id.rawValue) }
  static func upload(of id: OutboxID) -> SealedPart { SealedPart(name: "upload", owner: id.rawValue) }

  /// - Parameter index: The index of the file among the request's files.
  static func file(_ index: Int, of id: OutboxID) -> SealedPart {
    SealedPart(name: "file \(index)", owner: id.rawValue)
  }

  /// The name of an origin, as it may be shown.
  static func origin(_ name: String) -> SealedPart { SealedPart(name: "origin", owner: name) }

  static let keyCheck = SealedPart(name: "key check", owner: "")

  /// The data that is authenticated with the piece.
  var context: Data { Data("errand outbox 1\0\(name)\0\(owner)".utf8) }

  var description: String { owner.isEmpty ? name : "\(name) of the request \(owner)" }
}
