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

  /// Opens a conversion.
  /// - Returns: Nil if the C library does not know the charset.
  init?(_ name: String) {
    let descriptor = unsafe iconv_open("UTF-8", name)
    // The C library returns -1 for a failure.
    guard let descriptor = unsafe descriptor, Int(bitPattern: descriptor) != -1 else { return nil }
    unsafe self.descriptor = descriptor
  }

  deinit { unsafe iconv_close(descriptor) }

  /// Converts a whole text.
  /// - Parameter replacement: Returns the character for an invalid byte, or for the first byte of a character
  ///   that the text cuts off.
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
    // The C library may have held back a letter that an accent could have followed.
    _ = unsafe step(nil, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Converts as many bytes as fit into a buffer.
  /// - Parameter input: Nil to write the characters that were held back.
  /// - Returns: The number of bytes that were read, and true if the next bytes cannot be decoded.
  private func step(
    _ input: UnsafeMutableBufferPointer<CChar>?, into text: inout [UInt8]
  ) -> (read: Int, problem: Bool) {
    let size = 4096
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
      var next = unsafe input?.baseAddress
      var left = unsafe input?.count ?? 0
      var end = buffer.baseAddress
      var room = size
      // Without input, `iconv` writes the characters that it has held back.
      let result =
        unsafe next == nil
        ? iconv(descriptor, nil, nil, &end, &room) : iconv(descriptor, &next, &left, &end, &room)
      let problem = result == -1 && errno != E2BIG
      unsafe text += buffer.prefix(size - room).map { UInt8(bitPattern: $0) }
      return unsafe ((input?.count ?? 0) - left, problem)
    }
  }
}
