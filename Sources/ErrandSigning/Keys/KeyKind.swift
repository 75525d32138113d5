/// The kinds of key pairs that sign.
enum KeyKind: Sendable, Hashable, CaseIterable {
  case ed25519, p256, p384, rsa
  /// An RSA key that is marked for RSASSA-PSS only.
  case rsaPSS

  /// The algorithms for this kind. The first is the default.
  var algorithms: [SignatureAlgorithm] {
    switch self {
    case .ed25519: [.ed25519]
    case .p256: [.ecdsaP256SHA256]
    case .p384: [.ecdsaP384SHA384]
    case .rsa: [.rsaPSSSHA512, .rsaV15SHA256]
    case .rsaPSS: [.rsaPSSSHA512]
    }
  }

  var name: String {
    switch self {
    case .ed25519: "Ed25519"
    case .p256: "EC P-256"
    case .p384: "EC P-384"
    case .rsa: "RSA"
    case .rsaPSS: "RSA-PSS"
    }
  }

  /// The number of bytes of r and of s in an ECDSA signature; nil for other signatures.
  var coordinateWidth: Int? {
    switch self {
    case .p256: 32
    case .p384: 48
    case .ed25519, .rsa, .rsaPSS: nil
    }
  }

  /// Returns the requested algorithm, or the first usable one if `asked` is nil.
  /// - Throws: `.algorithmMismatch` if the requested algorithm is not usable.
  func choose(_ asked: SignatureAlgorithm?, from usable: [SignatureAlgorithm]) throws(SigningError)
    -> SignatureAlgorithm
  {
    guard let algorithm = asked ?? usable.first, usable.contains(algorithm) else {
      throw SigningError.mismatch(asked, "an \(name) key", usable)
    }
    return algorithm
  }
}

extension NativeKey {
  /// Returns the algorithms that the key can be used with.
  /// - Parameter allowed: The only algorithm that the key may be used with; nil if it is not restricted.
  /// - Throws: `.algorithmMismatch` if no algorithm is left.
  func algorithms(allowed: SignatureAlgorithm?) throws(SigningError) -> [SignatureAlgorithm] {
    let usable = kind.algorithms.filter { allows($0) && (allowed == nil || $0 == allowed) }
    guard !usable.isEmpty else {
      throw SigningError.mismatch(allowed ?? kind.algorithms.first, "this \(kind.name) key", [])
    }
    return usable
  }
}
