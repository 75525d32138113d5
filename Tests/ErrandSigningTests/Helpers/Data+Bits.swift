import Foundation

extension Data {
  /// Returns the bytes of hexadecimal digits; spaces between them do not count.
  init(hex: String) {
    let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }

  init(fromBase64URL text: String) {
    let standard = text.filter { !$0.isWhitespace }.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    self = Data(base64Encoded: standard + padding) ?? Data()
  }

  var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Returns the data with one bit changed.
  func flipping(_ bit: Int) -> Data {
    var copy = Data(self)
    copy[bit / 8] ^= 1 << (bit % 8)
    return copy
  }
}

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

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func data(_ count: Int) -> Data {
    var data = Data(capacity: count + 8)
    while data.count < count { Swift.withUnsafeBytes(of: next()) { data.append(contentsOf: $0) } }
    return data.prefix(count)
  }

  /// Cuts data into pieces of random lengths, of which some are empty.
  mutating func pieces(of data: Data, upTo length: Int) -> [Data] {
    var (rest, pieces) = (data, [Data]())
    while !rest.isEmpty {
      pieces.append(rest.prefix(number(0...length)))
      rest = rest.dropFirst(pieces[pieces.count - 1].count)
    }
    return pieces
  }
}
