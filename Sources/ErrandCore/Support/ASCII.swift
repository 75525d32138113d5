/// ASCII operations on names that HTTP defines as case-insensitive, without a locale and without Unicode
/// folding.
package enum ASCII {
  @inline(__always)
  package static func lowered(_ byte: UInt8) -> UInt8 {
    byte &- 65 < 26 ? byte | 0x20 : byte
  }

  package static func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
    let (a, b) = (left.utf8, right.utf8)
    guard a.count == b.count else { return false }
    // Every name of every request is compared here, so the bytes are accessed directly, without the string's
    // view.
    let isEqual: Bool?? = unsafe a.withContiguousStorageIfAvailable { a in
      unsafe b.withContiguousStorageIfAvailable { b in unsafe equalIgnoringCase(a, b) }
    }
    return (isEqual ?? nil) ?? a.elementsEqual(b) { lowered($0) == lowered($1) }
  }

  package static func equalIgnoringCase(_ bytes: UnsafeRawBufferPointer, _ text: String) -> Bool {
    unsafe withBytes(of: text) { text in
      guard bytes.count == text.count else { return false }
      return unsafe bytes.withMemoryRebound(to: UInt8.self) { unsafe equalIgnoringCase($0, text) }
    }
  }

  /// Compares two buffers of the same length.
  private static func equalIgnoringCase(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var index = 0
    while index < left.count {
      let (a, b) = unsafe (left[index], right[index])
      // Most names are written in their usual case.
      if a != b, lowered(a) != lowered(b) { return false }
      index += 1
    }
    return true
  }

  /// True if both have the same bytes. `==` also accepts texts that are encoded differently.
  package static func areSame(_ left: String, _ right: String) -> Bool {
    unsafe withBytes(of: left) { left in
      unsafe withBytes(of: right) { right in
        guard left.count == right.count else { return false }
        for index in 0..<left.count where unsafe left[index] != right[index] { return false }
        return true
      }
    }
  }

  package static func hasSuffixIgnoringCase(_ text: String, _ suffix: String) -> Bool {
    unsafe withBytes(of: text) { text in
      unsafe withBytes(of: suffix) { suffix in
        guard text.count >= suffix.count else { return false }
        let start = text.count - suffix.count
        for index in 0..<suffix.count where unsafe lowered(text[start + index]) != lowered(suffix[index]) {
          return false
        }
        return true
      }
    }
  }

  package static func lowercased(_ text: String) -> String {
    String(decoding: text.utf8.map(lowered), as: UTF8.self)
  }

  /// Returns `text` without the spaces and tabs around it (RFC 9110's OWS).
  package static func trimmed(_ text: some StringProtocol) -> String {
    let utf8 = Array(text.utf8)
    guard let first = utf8.firstIndex(where: { $0 != 32 && $0 != 9 }),
      let last = utf8.lastIndex(where: { $0 != 32 && $0 != 9 })
    else { return "" }
    return String(decoding: utf8[first...last], as: UTF8.self)
  }

  /// Returns the number that a text of digits encodes; nil for any other text (a sign, a space), and for a
  /// number that is too large.
  package static func wholeNumber(_ text: some StringProtocol) -> Int64? { wholeNumber(in: text.utf8) }

  /// Does the same without the string's view, because the length of every response is read here.
  package static func wholeNumber(_ text: String) -> Int64? {
    unsafe withBytes(of: text) { unsafe wholeNumber(in: $0) }
  }

  package static func wholeNumber(_ bytes: UnsafeRawBufferPointer) -> Int64? { unsafe wholeNumber(in: bytes) }

  @inline(__always)
  private static func wholeNumber(in bytes: some Collection<UInt8>) -> Int64? {
    guard !bytes.isEmpty else { return nil }
    var number: Int64 = 0
    for byte in bytes {
      guard 48...57 ~= byte else { return nil }
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isOver) = tens.addingReportingOverflow(Int64(byte - 48))
      if isTooLarge || isOver { return nil }
      number = sum
    }
    return number
  }

  /// Returns true for a `token` of RFC 9110, which methods and field names have to be.
  package static func isToken(_ text: String) -> Bool {
    // Every method and every field name of every request is checked here.
    unsafe withBytes(of: text) { bytes in
      for index in 0..<bytes.count where unsafe !isTokenByte(bytes[index]) { return false }
      return !bytes.isEmpty
    }
  }

  /// Returns the number of bytes at the beginning that may be part of a `token`.
  package static func tokenLength(_ bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    while count < bytes.count, unsafe isTokenByte(bytes[count]) { count += 1 }
    return count
  }

  /// Returns true if the text contains a control character other than the tab, which no field value may
  /// contain (RFC 9110, section 5.5).
  package static func hasControl(_ text: String) -> Bool {
    // Every field value of every request is checked here.
    unsafe withBytes(of: text) { bytes in
      for index in 0..<bytes.count {
        let byte = unsafe bytes[index]
        if (byte < 32 && byte != 9) || byte == 127 { return true }
      }
      return false
    }
  }

  /// Calls `body` with the text's UTF-8, without a copy if the text is a native Swift string.
  static func withBytes<Result>(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = unsafe text.utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = text
    return copy.withUTF8 { unsafe body($0) }
  }

  /// Returns true if the text begins or ends with a space or a tab.
  package static func isPadded(_ text: String) -> Bool {
    // Every field value of every request is checked here.
    unsafe withBytes(of: text) { bytes in
      guard !bytes.isEmpty else { return false }
      let (first, last) = unsafe (bytes[0], bytes[bytes.count - 1])
      return first == 32 || first == 9 || last == 32 || last == 9
    }
  }

  package static func isTokenByte(_ byte: UInt8) -> Bool {
    // A bit for each character: digits and !#$%&'*+-. below 64, letters and ^_`|~ above.
    let bits: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return byte < 128 && bits &>> UInt64(byte & 63) & 1 != 0
  }
}
