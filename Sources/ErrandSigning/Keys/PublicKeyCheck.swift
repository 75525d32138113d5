/// Refuses public keys for which anyone can make signatures, and RSA keys with invalid numbers. Pure.
enum PublicKeyCheck {
  /// The y coordinates of the points whose order divides 8, little-endian. Coordinates that still fit after
  /// the prime is added appear in that form, too. With such a key, at least one signature in eight is valid
  /// for any message.
  private static let smallOrder: [[UInt8]] = [
    little(0), little(1), prime(minus: 1), prime(minus: 0), prime(minus: -1),
    [
      0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
      0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
    ],
    [
      0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
      0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
    ],
  ]

  private static func little(_ number: UInt8) -> [UInt8] { [number] + Array(repeating: 0, count: 31) }

  /// Returns 2^255 - 19 minus a small number.
  private static func prime(minus number: Int) -> [UInt8] {
    [UInt8(0xED - number)] + Array(repeating: 0xFF, count: 30) + [0x7F]
  }

  /// - Parameter point: The key as RFC 8032 encodes it: 32 bytes.
  static func ed25519(_ point: some Sequence<UInt8>) throws(SigningError) {
    var y = Array(point)
    guard y.count == 32 else { throw SigningError.damaged }
    // The last bit is the sign of x, which does not affect the order.
    y[31] &= 0x7F
    guard !smallOrder.contains(y) else {
      throw SigningError(
        .invalidKey,
        "the Ed25519 public key is a point of small order, so that anyone can sign; get the key from its owner again"
      )
    }
  }

  /// - Parameters:
  ///   - modulus: In network byte order, without leading zeros.
  ///   - exponent: In network byte order, without leading zeros.
  static func rsa(modulus: some Collection<UInt8>, exponent: some Collection<UInt8>) throws(SigningError) {
    guard let first = modulus.first else { throw SigningError.damaged }
    try RSAKeySize.check(modulus.count * 8 - first.leadingZeroBitCount)
    let (modulus, exponent) = (Array(modulus), Array(exponent))
    let isSmall = exponent.count < 2 && (exponent.first ?? 0) < 3
    guard !isSmall, let last = exponent.last, last & 1 == 1 else {
      throw SigningError(
        .invalidKey,
        "the RSA key's public exponent is less than 3 or even, so that its signatures are not safe; make another key, "
          + "with the exponent 65537")
    }
    guard let last = modulus.last, last & 1 == 1 else { throw SigningError.damaged }
  }
}

/// The accepted sizes of RSA keys, in bits.
private enum RSAKeySize {
  /// The minimum of RFC 7518, sections 3.3 and 3.5.
  static let minimum = 2048
  /// Larger keys take seconds for each signature.
  static let maximum = 16_384

  static func check(_ size: Int) throws(SigningError) {
    guard minimum...maximum ~= size else {
      throw SigningError(
        .unsupportedKey,
        "an RSA key of \(size) bits is not accepted; make one of \(minimum) to \(maximum) bits, or better an Ed25519 key"
      )
    }
  }
}
