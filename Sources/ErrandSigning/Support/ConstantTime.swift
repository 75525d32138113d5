#if canImport(Darwin)
  import Darwin
#else
  import CCrypto
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Comparisons that take equally long wherever two values differ.
enum ConstantTime {
  /// Returns true if both have the same bytes. The time that it takes depends on their lengths only.
  static func isEqual(_ left: some ContiguousBytes, _ right: some ContiguousBytes) -> Bool {
    left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        guard left.count == right.count else { return false }
        guard let first = left.baseAddress, let second = right.baseAddress else { return true }
        return isEqual(first, second, left.count)
      }
    }
  }

  private static func isEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
    #if canImport(Darwin)
      timingsafe_bcmp(left, right, count) == 0
    #else
      CRYPTO_memcmp(left, right, count) == 0
    #endif
  }
}
