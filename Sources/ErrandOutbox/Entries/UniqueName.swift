import ErrandCore

/// Makes UUIDs (RFC 9562), as text in lower case.
enum UniqueName {
  /// Returns a UUID of version 4: random bits only.
  static func random(using generator: inout some RandomNumberGenerator) -> String {
    text(high: generator.next(), low: generator.next(), version: 4)
  }

  /// Returns a UUID of version 7: greater than UUIDs that were made in earlier milliseconds.
  /// - Parameter milliseconds: The time, in milliseconds since 1970.
  static func ordered(at milliseconds: Int64, using generator: inout some RandomNumberGenerator) -> String {
    let high = UInt64(bitPattern: milliseconds) << 16 | generator.next() & 0xFFFF
    return text(high: high, low: generator.next(), version: 7)
  }

  private static func text(high: UInt64, low: UInt64, version: UInt64) -> String {
    let high = high & ~0xF000 | version << 12
    let low = low & ~(3 << 62) | 2 << 62
    return String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      for digit in 0..<32 {
        if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
          text[place] = UInt8(ascii: "-")
          place += 1
        }
        let half = digit < 16 ? high : low
        let value = UInt8(truncatingIfNeeded: half >> (60 - digit % 16 * 4)) & 0xF
        text[place] = value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        place += 1
      }
      return place
    }
  }
}

/// A random number generator that concurrent callers share. Its lock is held only while one number is made.
final class SharedRandom: RandomNumberGenerator, Sendable {
  private let generator: Locked<any RandomNumberGenerator & Sendable>

  init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = Locked(generator) }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
