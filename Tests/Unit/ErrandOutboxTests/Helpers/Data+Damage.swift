import Foundation

extension Data {
  init(hexadecimal text: String) {
    let digits = text.compactMap(\.hexDigitValue)
    self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }

  /// Returns a copy with one bit flipped.
  func flipping(_ bit: Int) -> Data {
    var copy = Data(self)
    copy[bit / 8] ^= 1 << (bit % 8)
    return copy
  }
}
