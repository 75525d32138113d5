#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A conversion to UTF-8 by the C library's `iconv`.
@safe final class CharsetConversion {
  private let descriptor: iconv_t

  /// - Returns: Nil if the C library does not know the charset.
  init?(_ name: String) {
    let descriptor = unsafe iconv_open("UTF-8", name)
    // The failure is -1.
    guard let descriptor = unsafe descriptor, Int(bitPattern: descriptor) != -1 else { return nil }
    unsafe self.descriptor = descriptor
  }

  deinit { unsafe iconv_close(descriptor) }

  /// Converts a text from its beginning to its end.
  /// - Parameter replacement: Returns the character for a byte that cannot be decoded, or with which a character begins
  ///   that the text does not end.
  func text(of data: Data, replacing replacement: (UInt8) -> Unicode.Scalar) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(data.count + data.count / 2 + 16)
    var input = data.map { CChar(bitPattern: $0) }
    let count = input.count
    var start = 0
    while start < count {
      let (read, problem) = unsafe input.withUnsafeMutableBufferPointer { input in
        unsafe step(UnsafeMutableBufferPointer(rebasing: input[start...]), into: &text)
      }
      start += read
      guard problem, start < count else { continue }
      // The next byte may begin a character by itself.
      text += Array(String(replacement(UInt8(bitPattern: input[start]))).utf8)
      start += 1
    }
    // A letter may have waited for an accent behind it.
    _ = unsafe step(nil, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Converts what fits into a buffer.
  /// - Parameter input: Nil to write what was held back.
  /// - Returns: The number of bytes that were read; and true if those that follow cannot be decoded.
  private func step(
    _ input: UnsafeMutableBufferPointer<CChar>?, into text: inout [UInt8]
  ) -> (read: Int, problem: Bool) {
    let size = 4096
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
      var next = unsafe input?.baseAddress
      var left = unsafe input?.count ?? 0
      var end = buffer.baseAddress
      var room = size
      // Without input, it writes what it has held back.
      let result =
        unsafe next == nil
        ? iconv(descriptor, nil, nil, &end, &room) : iconv(descriptor, &next, &left, &end, &room)
      let problem = result == -1 && errno != E2BIG
      unsafe text += buffer.prefix(size - room).map { UInt8(bitPattern: $0) }
      return unsafe ((input?.count ?? 0) - left, problem)
    }
  }
}
