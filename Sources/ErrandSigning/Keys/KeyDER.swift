/// A key in DER, and the form that it has.
struct KeyDER: Sendable {
  enum Form: Sendable, Hashable {
    /// `PRIVATE KEY`, PKCS #8 (RFC 5958).
    case pkcs8
    /// `ENCRYPTED PRIVATE KEY`, PKCS #8.
    case encryptedPKCS8
    /// `EC PRIVATE KEY` (RFC 5915).
    case sec1
    /// `RSA PRIVATE KEY`, PKCS #1 (RFC 8017).
    case pkcs1
    /// `PUBLIC KEY`, a SubjectPublicKeyInfo (RFC 5280).
    case spki
    /// `RSA PUBLIC KEY`, PKCS #1.
    case publicPKCS1

    var isPrivate: Bool {
      switch self {
      case .pkcs8, .encryptedPKCS8, .sec1, .pkcs1: true
      case .spki, .publicPKCS1: false
      }
    }
  }

  let form: Form
  let bytes: SecretBytes

  init(_ form: Form, _ bytes: SecretBytes) { (self.form, self.bytes) = (form, bytes) }

  /// Copies bytes that were made for this key, and overwrites them.
  init(_ form: Form, consuming bytes: inout [UInt8]) {
    self.init(form, SecretBytes(bytes))
    bytes.withUnsafeMutableBytes { SecretBytes.clear($0) }
    bytes = []
  }
}
