#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Converts ECDSA signatures between the DER that libraries make, and the fixed-width r and s of RFC 9421,
/// section 3.3.4.
enum ECDSASignature {
  /// Returns r and s, each of `width` bytes.
  /// - Returns: Nil if `der` is not exactly a sequence of two positive numbers that fit.
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
