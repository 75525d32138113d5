import CZlib

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A CRC-32 (RFC 1952), which detects damage, but no intent.
struct Checksum: Sendable, Hashable {
  private(set) var value: UInt32 = 0

  init() {}

  init(of pieces: Data...) { for piece in pieces { update(piece) } }

  mutating func update(_ data: Data) {
    value = unsafe data.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return value }
      let all = unsafe start.assumingMemoryBound(to: UInt8.self)
      return UInt32(truncatingIfNeeded: unsafe crc32_z(UInt(value), all, bytes.count))
    }
  }
}
