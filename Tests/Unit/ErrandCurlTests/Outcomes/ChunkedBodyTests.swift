import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCurl

@Suite struct ChunkedBodyTests {
  private func take(_ text: String, in sizes: [Int]) -> (ChunkedBody, String) {
    var (chunks, content, index) = (ChunkedBody(), "", 0)
    let bytes = Array(text.utf8)
    while index < bytes.count {
      let size = sizes[index % sizes.count]
      let piece = Array(bytes[index..<min(index + size, bytes.count)])
      piece.withUnsafeBytes { chunks.take($0) { content += String(decoding: $0, as: UTF8.self) } }
      index += piece.count
    }
    return (chunks, content)
  }

  @Test func `the content is the same wherever the bytes are split`() {
    let whole = "5\r\nhello\r\n6;name=\"v\"\r\n world\r\nA \r\n0123456789\r\n0\r\nX: 1\r\nY: 2\r\n\r\n"
    for sizes in [[1], [2], [3], [7], [1, 5, 2], [1000]] {
      let (chunks, content) = take(whole, in: sizes)
      #expect(content == "hello world0123456789")
      #expect(chunks.isWhole)
      #expect(!chunks.isMalformed)
      for length in 0..<whole.utf8.count {
        let (cut, _) = take(String(decoding: whole.utf8.prefix(length), as: UTF8.self), in: sizes)
        #expect(!cut.isWhole)
        #expect(!cut.isMalformed)
      }
    }
  }

  @Test func `bare line ends are accepted, and bytes after the end are not content`() {
    let (chunks, content) = take("2\nok\n0\n\nHTTP/1.1 200 OK", in: [1000])
    #expect(content == "ok")
    #expect(chunks.isWhole)
  }

  @Test(arguments: [
    "\r\n", "x\r\n", "-1\r\n", " 5\r\nhello\r\n", "5\r\nhelloX\r\n", "5\r\nhello6\r\n", "0x5\r\nhello",
    "10000000000000000\r\n", ";a\r\n", "5x\r\nhello", "feed me an error page\r\n", "5 6\r\nhello",
    "5\r6\nhello",
  ])
  func `an invalid chunk is malformed`(text: String) {
    let (chunks, _) = take(text, in: [1000])
    // A number that other bytes follow is a size with an extension, as in libcurl.
    #expect(chunks.isMalformed || text.hasPrefix("0x"))
    #expect(!chunks.isWhole)
  }

  @Test(arguments: 0..<20) func `parsing random bytes always terminates`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let alphabet = Array("0123456789abcdefAF\r\n\r\n\r\n;x: ".utf8)
      let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
        alphabet.randomElement(using: &random)!
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let (one, first) = take(text, in: [1])
      let (all, second) = take(text, in: [1000])
      #expect(first == second && one.isWhole == all.isWhole && one.isMalformed == all.isMalformed)
    }
  }
}
