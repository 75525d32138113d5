#if canImport(Darwin)
  import CryptoKit
  import Foundation
  import Security

  /// The public keys that a server may have.
  struct PublicKeyPins {
    private let digests: Set<String>

    init(_ digests: [String]) { self.digests = Set(digests) }

    /// Returns true if the key of the server's own certificate is pinned. It does not say whether the
    /// certificate is trusted; the system checks that.
    func match(_ trust: SecTrust) -> Bool {
      guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], let leaf = chain.first,
        let key = SecCertificateCopyKey(leaf), let info = Self.subjectPublicKeyInfo(key)
      else { return false }
      return digests.contains(Data(SHA256.hash(data: info)).base64EncodedString())
    }

    /// Wraps a bare key, which the system returns, in the structure that is pinned (RFC 5280, section 4.1).
    private static func subjectPublicKeyInfo(_ key: SecKey) -> Data? {
      guard let bare = SecKeyCopyExternalRepresentation(key, nil) as Data?,
        let attributes = SecKeyCopyAttributes(key) as? [String: Any],
        let type = attributes[kSecAttrKeyType as String] as? String,
        let size = attributes[kSecAttrKeySizeInBits as String] as? Int
      else { return nil }
      if type == kSecAttrKeyTypeRSA as String { return sequence(rsa + bitString(bare)) }
      if type == kSecAttrKeyTypeECSECPrimeRandom as String, let curve = curves[size] {
        return sequence(curve + bitString(bare))
      }
      return nil
    }

    /// AlgorithmIdentifier: rsaEncryption, NULL.
    private static let rsa = Data([
      0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ])

    /// AlgorithmIdentifier: id-ecPublicKey, and the curve.
    private static let curves: [Int: Data] = [
      256: elliptic([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]),
      384: elliptic([0x2B, 0x81, 0x04, 0x00, 0x22]),
      521: elliptic([0x2B, 0x81, 0x04, 0x00, 0x23]),
    ]

    private static func elliptic(_ curve: [UInt8]) -> Data {
      let algorithm: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
      return sequence(Data(algorithm + [0x06, UInt8(curve.count)] + curve))
    }

    private static func sequence(_ content: Data) -> Data { tagged(0x30, content) }
    private static func bitString(_ content: Data) -> Data { tagged(0x03, Data([0]) + content) }

    /// Returns tag, length and content in DER.
    private static func tagged(_ tag: UInt8, _ content: Data) -> Data {
      var length: [UInt8] = []
      var rest = content.count
      while rest > 0 {
        length.insert(UInt8(rest & 0xFF), at: 0)
        rest >>= 8
      }
      let head =
        content.count < 128 ? [tag, UInt8(content.count)] : [tag, 0x80 | UInt8(length.count)] + length
      return Data(head) + content
    }
  }
#endif
