#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Converts ECDSA signatures between DER, as libraries make it, and r and s in their full width, as RFC 9421,
/// section 3.3.4, wants it.
enum ECDSASignature {
  /// Returns r and s, each of `width` bytes.
  /// - Returns: Nil if this is not a sequence of two positive numbers that fit, in DER, and nothing else.
  static func raw(der: Data, width: Int) -> Data? {
    var outer = DERReader(der)
    guard var numbers = outer.readSequence(), outer.isAtEnd, let r = numbers.readUnsigned(),
      let s = numbers.readUnsigned(), numbers.isAtEnd, 1...width ~= r.count, 1...width ~= s.count
    else { return nil }
    return Data(count: width - r.count) + r + Data(count: width - s.count) + s
  }

  /// Returns the DER of r and s.
  /// - Returns: Nil if they do not have `width` bytes each, or if one is zero.
  static func der(raw: Data, width: Int) -> Data? {
    let (r, s) = (raw.prefix(width), raw.dropFirst(width))
    guard raw.count == 2 * width, r.contains(where: { $0 != 0 }), s.contains(where: { $0 != 0 }) else {
      return nil
    }
    return Data(DER.sequence(DER.unsigned(r), DER.unsigned(s)))
  }
}
