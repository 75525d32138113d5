extension UInt64 {
  /// Returns the number with `length` hexadecimal digits.
  package func hexadecimal(_ length: Int) -> String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: length - digits.utf8.count) + digits
  }
}
