/// A PKCS #8 key (RFC 5958) or a SubjectPublicKeyInfo (RFC 5280): an algorithm, and a key in the form that
/// the algorithm defines.
struct KeyInfo<Bytes: Collection> where Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
  /// The algorithm's identifier.
  let algorithm: [UInt8]
  /// The curve's identifier; nil if the key has no curve, or a curve without a name.
  let curve: [UInt8]?
  /// True if the algorithm has parameters besides the name of a curve.
  let isRestricted: Bool
  let key: Bytes

  /// Reads a private key.
  /// - Returns: Nil if the bytes have another form.
  init?(privateKey bytes: Bytes) {
    var outer = DERReader(bytes)
    guard var info = outer.readSequence(), outer.isAtEnd, let version = info.readInt(), version < 2,
      let algorithm = info.readSequence(), let key = info.read(.octetString)
    else { return nil }
    // Attributes and the public key may follow.
    self.init(algorithm, key)
  }

  /// Reads a public key.
  /// - Returns: Nil if the bytes have another form.
  init?(publicKey bytes: Bytes) {
    var outer = DERReader(bytes)
    guard var info = outer.readSequence(), outer.isAtEnd, let algorithm = info.readSequence(),
      let bits = info.read(.bitString), info.isAtEnd, bits.first == 0
    else { return nil }
    self.init(algorithm, bits.dropFirst())
  }

  private init?(_ identifier: DERReader<Bytes>, _ key: Bytes) {
    var identifier = identifier
    guard let algorithm = identifier.read(.objectIdentifier) else { return nil }
    self.algorithm = Array(algorithm)
    curve = identifier.read(.objectIdentifier).map { Array($0) }
    _ = identifier.read(.null)
    isRestricted = !identifier.isAtEnd
    self.key = key
  }
}

extension KeyDER {
  /// True if the bytes have the structure of their form. The algorithm's part is not checked. A library may
  /// accept more.
  var isWellFormed: Bool {
    bytes.withUnsafeBytes { bytes in
      let bytes = bytes[...]
      var outer = DERReader(bytes)
      guard var inner = outer.readSequence(), outer.isAtEnd else { return false }
      switch form {
      case .pkcs8: return KeyInfo(privateKey: bytes) != nil
      case .spki: return KeyInfo(publicKey: bytes) != nil
      case .encryptedPKCS8:
        return inner.readSequence() != nil && inner.read(.octetString) != nil && inner.isAtEnd
      case .sec1: return inner.readInt() == 1 && inner.read(.octetString) != nil
      case .pkcs1: return inner.readInt() == 0 && inner.readUnsigned() != nil && inner.readUnsigned() != nil
      case .publicPKCS1: return inner.readUnsigned() != nil && inner.readUnsigned() != nil && inner.isAtEnd
      }
    }
  }
}
