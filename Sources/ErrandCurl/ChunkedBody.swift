/// Decodes the chunks of a body as they arrive (RFC 9112, section 7.1). Pure.
///
/// libcurl also decodes chunks to find the end of the response, but does not report the last chunk. A server
/// that responds before it has read the request may close the connection right after that chunk.
struct ChunkedBody {
  private enum State {
    case size(digits: Int)
    case afterSize
    case `extension`
    case content
    case afterContent
    case trailer(isEmpty: Bool)
    case end
  }

  private var state = State.size(digits: 0)
  /// The bytes of the chunk that are still to come.
  private var left = 0

  /// True after the last chunk and the trailers have arrived.
  var isWhole: Bool { if case .end = state { true } else { false } }
  /// The lines of the trailers so far, which are not checked.
  private(set) var trailers: [UInt8] = []
  /// True if a line of the trailers is longer than 4,000 bytes. libcurl limits each to about 4 KB.
  var hasLongTrailer: Bool { trailers.split(separator: 10).contains { $0.count > 4000 } }
  /// True if the bytes are not valid chunks.
  private(set) var isMalformed = false

  /// Decodes bytes as received. Calls `body` with each piece of the content.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var index = 0
    while index < bytes.count, !isMalformed, !isWhole {
      if case .content = state {
        let count = min(left, bytes.count - index)
        body(UnsafeRawBufferPointer(rebasing: bytes[index..<index + count]))
        index += count
        left -= count
        if left == 0 { state = .afterContent }
      } else {
        take(bytes[index])
        index += 1
      }
    }
  }

  /// Decodes a byte that is not content.
  private mutating func take(_ byte: UInt8) {
    switch (state, byte) {
    case (.size(let digits), _):
      if let digit = Self.value(ofDigit: byte), digits < 15 {
        left = left << 4 | digit
        state = .size(digits: digits + 1)
      } else if digits > 0 {
        state = .afterSize
        take(byte)
      } else {
        isMalformed = true
      }
    case (.afterSize, 10), (.extension, 10): beginContent()
    case (.afterSize, 9), (.afterSize, 13), (.afterSize, 32): break
    case (.afterSize, UInt8(ascii: ";")): state = .extension
    case (.afterSize, _): isMalformed = true
    // Extensions are skipped.
    case (.extension, _): break
    case (.afterContent, 10): (state, left) = (.size(digits: 0), 0)
    case (.afterContent, 13): break
    case (.afterContent, _): isMalformed = true
    case (.trailer(isEmpty: true), 10): state = .end
    case (.trailer(let isEmpty), _):
      trailers.append(byte)
      state = .trailer(isEmpty: byte == 10 || isEmpty && byte == 13)
    case (.content, _), (.end, _): break
    }
  }

  private mutating func beginContent() { state = left == 0 ? .trailer(isEmpty: true) : .content }

  private static func value(ofDigit byte: UInt8) -> Int? {
    switch byte {
    case 48...57: Int(byte) - 48
    case 65...70: Int(byte) - 55
    case 97...102: Int(byte) - 87
    default: nil
    }
  }
}
