#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds the public key in a certificate.
enum CertificateKey {
  /// Returns the SubjectPublicKeyInfo of a certificate in DER (RFC 5280, section 4.1), with its tag and
  /// length; nil if the data is not a certificate.
  static func info(in certificate: Data) -> Data? {
    guard let whole = Value(certificate[...]), whole.tag == Value.sequence, whole.rest.isEmpty,
      let signed = Value(whole.content), signed.tag == Value.sequence
    else { return nil }
    var rest = signed.content
    if let version = Value(rest), version.tag == 0xA0 { rest = version.rest }
    // Serial number, algorithm, issuer, validity, subject.
    for tag in [Value.integer] + [UInt8](repeating: Value.sequence, count: 4) {
      guard let value = Value(rest), value.tag == tag else { return nil }
      rest = value.rest
    }
    guard let info = Value(rest), info.tag == Value.sequence else { return nil }
    return Data(rest.prefix(rest.count - info.rest.count))
  }

  /// The first value in DER data.
  private struct Value {
    static let integer: UInt8 = 0x02
    static let sequence: UInt8 = 0x30

    let tag: UInt8
    let content: Data
    let rest: Data

    init?(_ bytes: Data) {
      var bytes = bytes
      guard let tag = bytes.popFirst(), let first = bytes.popFirst() else { return nil }
      var length = Int(first)
      if first >= 0x80 {
        // A length has at most 3 bytes, so a value has less than 16 MiB.
        guard 0x81...0x83 ~= first else { return nil }
        length = 0
        for _ in 0..<(first - 0x80) {
          guard let byte = bytes.popFirst() else { return nil }
          length = length << 8 | Int(byte)
        }
      }
      guard length <= bytes.count else { return nil }
      self.tag = tag
      content = bytes.prefix(length)
      rest = bytes.dropFirst(length)
    }
  }
}
