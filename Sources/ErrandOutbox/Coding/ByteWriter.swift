import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes numbers and texts one after the other, without tags, because the reader knows the order. Each
/// request is written once and read at each attempt, so the format is plain.
struct ByteWriter {
  private var bytes: [UInt8] = []

  init() {
    // Enough for most requests, so that the array need not grow in steps.
    bytes.reserveCapacity(512)
  }

  var data: Data { Data(bytes) }

  mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  /// Writes a number with seven bits per byte, the lowest first (LEB128).
  mutating func number(_ number: Int64) {
    var rest = UInt64(bitPattern: number)
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func text(_ text: String) {
    number(Int64(text.utf8.count))
    bytes += text.utf8
  }

  mutating func data(_ data: Data) {
    number(Int64(data.count))
    raw(data)
  }

  /// Writes the number of header fields, and then the name and the value of each.
  mutating func fields(_ fields: HTTPFields) {
    number(Int64(fields.count))
    for field in fields {
      text(field.name)
      text(field.value)
    }
  }

  /// Writes bytes without their length, which the reader knows.
  mutating func raw(_ data: Data) { bytes += data }
}
