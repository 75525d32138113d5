package import Foundation

extension Data {
  /// Returns pseudo-random bytes that are the same for the same seed.
  /// - Parameter mask: The bits that a byte may have: with few of them the data can be compressed.
  package static func seeded(_ count: Int, _ seed: UInt64 = 1, mask: UInt8 = .max) -> Data {
    // The tests are not optimized, so only this much is computed, and repeated. The length is a prime number,
    // so that no two pieces that a buffer or a block might confuse are equal.
    let blockLength = Swift.min(count, 65_521)
    let mask = UInt64(mask) &* 0x0101_0101_0101_0101
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    let words = (0..<(blockLength + 7) / 8).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state & mask
    }
    let block = words.withUnsafeBytes { Data($0.prefix(blockLength)) }
    var data = Data(capacity: count)
    while data.count < count { data += block.prefix(count - data.count) }
    return data
  }
}
