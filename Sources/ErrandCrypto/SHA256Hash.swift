#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Computes SHA-256 (FIPS 180-4) incrementally.
package struct SHA256Hash: ~Copyable {
  private var state = HashState(.sha256)

  package init() {}

  package mutating func update(_ bytes: UnsafeRawBufferPointer) { unsafe state.update(bytes) }

  package mutating func update(_ data: Data) { state.update(data) }

  package consuming func finalize() -> SHA256Digest {
    guard let digest = SHA256Digest(state.finalize()) else { preconditionFailure("SHA-256 has 32 bytes") }
    return digest
  }
}

/// A SHA-256 digest. Its description is hexadecimal.
package struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
  package static let byteCount = 32

  // Four words inline, which need no heap allocation.
  private let first: UInt64
  private let second: UInt64
  private let third: UInt64
  private let fourth: UInt64

  package init(hashing data: Data) {
    var hash = SHA256Hash()
    hash.update(data)
    self = hash.finalize()
  }

  /// Computes the code of the data with a key: HMAC-SHA-256 (RFC 2104).
  package init(of data: Data, key: Data) {
    let blockLength = 64
    let short = key.count > blockLength ? Data(SHA256Digest(hashing: key).bytes) : key
    let block = [UInt8](short) + Array(repeating: 0, count: blockLength - short.count)
    let inner = SHA256Digest(hashing: Data(block.map { $0 ^ 0x36 }) + data)
    self.init(hashing: Data(block.map { $0 ^ 0x5C } + inner.bytes))
  }

  /// Creates a digest from its bytes. Returns nil unless there are 32 of them.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    (first, second, third, fourth) = (words[0], words[1], words[2], words[3])
  }

  package var bytes: [UInt8] {
    [first, second, third, fourth].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  package var description: String { bytes.hexadecimal }
}

extension Sequence<UInt8> {
  /// The bytes with two hexadecimal digits each.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension UInt64 {
  /// Returns the number with `length` hexadecimal digits.
  package func hexadecimal(_ length: Int) -> String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: length - digits.utf8.count) + digits
  }
}
