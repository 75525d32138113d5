#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A newer head of a cached response, at the end of its file: a 304 renews a response without writing a large body again.
/// The last one counts.
///
/// | bytes | |
/// |---|---|
/// | 8 | `ERRANDKR` |
/// | 4 | length of the head |
/// | 4 | CRC-32 of the bytes above and the head |
/// | | the head |
///
/// Numbers are little-endian.
enum CacheFileRenewal {
  /// The maximum size of all renewals in a file, in bytes. Then the file is written again.
  static let mostBytes = 64 << 10
  private static let magic = Data("ERRANDKR".utf8)
  private static let openingLength = 16

  /// Returns the bytes of a renewal.
  static func bytes(of head: Data) -> Data {
    let opening = magic + CacheFilePrefix.number(UInt64(head.count), 4)
    return opening + CacheFilePrefix.number(UInt64(Checksum(of: opening, head).value), 4) + head
  }

  /// Returns the last head, and where its renewal ends. One that was cut short counts as missing.
  /// - Parameter tail: The bytes after the body.
  /// - Throws: `CacheFileFault` for other bytes.
  static func last(in tail: Data) throws(CacheFileFault) -> (head: Data?, end: Int) {
    var found: (head: Data?, end: Int) = (nil, 0)
    while found.end < tail.count {
      let rest = tail.dropFirst(found.end)
      guard rest.prefix(magic.count) == magic.prefix(rest.count) else { throw .damaged }
      let (opening, numbers) = (rest.prefix(12), [UInt8](rest.prefix(openingLength)))
      guard numbers.count == openingLength else { break }
      let head = rest.dropFirst(openingLength).prefix(Int(CacheFilePrefix.number(numbers[8..<12])))
      guard UInt64(Checksum(of: opening, head).value) == CacheFilePrefix.number(numbers[12..<16]) else {
        break
      }
      // Copied, because the indices of a slice do not begin at 0.
      found = (Data(head), found.end + openingLength + head.count)
    }
    return found
  }
}
