import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes numbers and texts one behind the other. Each request is written and read with every try, so this is plain: what
/// comes first is known to both sides.
struct ByteWriter {
  private var bytes: [UInt8] = []

  init() {
    // Room for most, so that it need not grow step by step.
    bytes.reserveCapacity(512)
  }

  var data: Data { Data(bytes) }

  mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  /// Seven bits a byte, the lowest first (LEB128).
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

  /// How many, and then the name and the value of each.
  mutating func fields(_ fields: HTTPFields) {
    number(Int64(fields.count))
    for field in fields {
      text(field.name)
      text(field.value)
    }
  }

  /// Without its length: the other side knows it.
  mutating func raw(_ data: Data) { bytes += data }
}
