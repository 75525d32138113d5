import Foundation

/// Random numbers that are the same for the same seed (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func data(_ count: Int) -> Data {
    var data = Data(capacity: count + 8)
    while data.count < count { Swift.withUnsafeBytes(of: next()) { data.append(contentsOf: $0) } }
    return data.prefix(count)
  }

  /// Splits data into pieces of random lengths, of which some are empty.
  mutating func pieces(of data: Data, upTo length: Int) -> [Data] {
    var (rest, pieces) = (data, [Data]())
    while !rest.isEmpty {
      pieces.append(rest.prefix(number(0...length)))
      rest = rest.dropFirst(pieces[pieces.count - 1].count)
    }
    return pieces
  }
}

extension RandomNumberGenerator {
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
