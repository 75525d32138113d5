import Foundation

extension Data {
  /// Returns the bytes of hexadecimal digits, ignoring spaces.
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
