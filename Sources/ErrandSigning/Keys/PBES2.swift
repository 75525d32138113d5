/// The encryption of a PKCS #8 key with a password (RFC 8018, section 6.2): PBKDF2 and AES-CBC.
struct PBES2: Hashable {
  enum Hash: Hashable {
    case sha1, sha256, sha384, sha512
  }

  /// The most iterations that are accepted, which take some seconds.
  static let maximumIterations = 10_000_000

  let salt: [UInt8]
  let iterations: Int
  let hash: Hash
  /// 16, 24 or 32 bytes, for AES.
  let keyLength: Int
  let initializationVector: [UInt8]
  let ciphertext: [UInt8]

  /// The error for a key with more iterations.
  static let tooSlow = SigningError(
    .unsupportedKey,
    "the private key is encrypted with more than \(maximumIterations) iterations, which take too long; make a copy of "
      + "it with \"openssl pkcs8 -topk8 -iter 1000000\"")

  /// Reads an encrypted key.
  /// - Returns: Nil if the bytes have another form, or another encryption.
  init?(_ bytes: some Collection<UInt8>) {
    var outer = DERReader(Array(bytes)[...])
    guard var info = outer.readSequence(), var algorithm = info.readSequence(),
      let ciphertext = info.read(.octetString),
      outer.isAtEnd, info.isAtEnd, Array(algorithm.read(.objectIdentifier) ?? []) == Self.pbes2,
      var parameters = algorithm.readSequence(), var derivation = parameters.readSequence(),
      var cipher = parameters.readSequence()
    else { return nil }
    guard Array(derivation.read(.objectIdentifier) ?? []) == Self.pbkdf2,
      var pbkdf2 = derivation.readSequence(),
      let salt = pbkdf2.read(.octetString), let iterations = pbkdf2.readInt(), iterations > 0
    else { return nil }
    let statedLength = pbkdf2.readInt()
    var function = pbkdf2.readSequence()
    let identifier = function?.read(.objectIdentifier)
    guard let hash = Self.hash(identifier.map { Array($0) }), let name = cipher.read(.objectIdentifier),
      let keyLength = Self.keyLength(Array(name)), statedLength ?? keyLength == keyLength,
      let vector = cipher.read(.octetString), vector.count == 16
    else { return nil }
    (self.salt, self.iterations, self.hash, self.keyLength) = (Array(salt), iterations, hash, keyLength)
    (initializationVector, self.ciphertext) = (Array(vector), Array(ciphertext))
  }

  /// Returns the hash of an HMAC; SHA-1 if `identifier` is nil.
  private static func hash(_ identifier: [UInt8]?) -> Hash? {
    guard let identifier else { return .sha1 }
    // 1.2.840.113549.2
    guard identifier.dropLast() == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02] else { return nil }
    switch identifier.last {
    case 7: return .sha1
    case 9: return .sha256
    case 10: return .sha384
    case 11: return .sha512
    default: return nil
    }
  }

  private static func keyLength(_ cipher: [UInt8]) -> Int? {
    // 2.16.840.1.101.3.4.1
    guard cipher.dropLast() == [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01] else { return nil }
    switch cipher.last {
    case 2: return 16
    case 22: return 24
    case 42: return 32
    default: return nil
    }
  }

  /// 1.2.840.113549.1.5.13
  private static let pbes2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]
  /// 1.2.840.113549.1.5.12
  private static let pbkdf2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C]
}
