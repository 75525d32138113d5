extension UInt64 {
  /// So many hexadecimal digits.
  package func hexadecimal(_ length: Int) -> String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: length - digits.utf8.count) + digits
  }
}
