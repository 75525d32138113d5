import ErrandCore
import Foundation
import Testing

@testable import ErrandUploads

/// The reader of one piece, between the transport and the content.
@Suite struct UploadReaderTests {
  private struct Refused: Error {}

  private func reader(
    _ text: String, count: Int64, _ handlers: UploadReader.Handlers = UploadReader.Handlers(),
    check: @escaping @Sendable () throws -> Void = {}
  ) throws -> UploadReader {
    UploadReader(try SegmentReader([.bytes(Data(text.utf8))]), count: count, handlers, check: check)
  }

  /// Reads at most `count` bytes as text; nil if none are available yet.
  private func read(_ reader: UploadReader, _ count: Int = 4) throws -> String? {
    var bytes = [UInt8](repeating: 0, count: count)
    return switch try bytes.withUnsafeMutableBytes({ try reader.read(into: $0) }) {
    case .bytes(let count): String(decoding: bytes[..<count], as: UTF8.self)
    case .notYet: nil
    case .end: ""
    }
  }

  @Test func `a piece has exactly its bytes`() throws {
    let reader = try reader("abcdefgh", count: 6)
    #expect(try [read(reader), read(reader), read(reader)] == ["abcd", "ef", ""])
    let short = try self.reader("abc", count: 6)
    #expect(try read(short) == "abc")
    let error = #expect(throws: RequestError.self) { try read(short) }
    #expect(error?.code == .fileChanged)
  }

  @Test func `held bytes wait, and the transport is told when they are there`() throws {
    let reader = try reader("abcdefgh", count: 8)
    let calls = Locked(0)
    reader.onReady { calls.withLock { $0 += 1 } }
    reader.hold()
    reader.hold()
    #expect(try read(reader) == nil)
    reader.release()
    #expect(try read(reader) == nil)
    reader.release()
    #expect(calls.withLock { $0 } == 2)
    #expect(try read(reader) == "abcd")
    reader.hold()
    reader.release(Refused())
    #expect(throws: Refused.self) { try read(reader) }
  }

  @Test func `the last byte is announced once, before it is read`() throws {
    let calls = Locked(0)
    var handlers = UploadReader.Handlers()
    handlers.lastByte = { reader in
      calls.withLock { $0 += 1 }
      reader.hold()
    }
    let reader = try reader("abcdef", count: 6, handlers)
    #expect(try read(reader) == "abcd")
    #expect(calls.withLock { $0 } == 0)
    #expect(try read(reader) == nil)
    reader.release()
    #expect(try read(reader) == "ef")
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func `the last piece of changed content is not sent`() throws {
    let reader = try reader("abcdef", count: 6, check: { throw Refused() })
    #expect(try read(reader) == "abcd")
    #expect(throws: Refused.self) { try read(reader) }
  }

  @Test func `a reader that is closed keeps nothing that waits for it`() throws {
    final class Exchange: Sendable {}
    let reader = try reader("abcdef", count: 6)
    weak var kept: Exchange?
    do {
      let exchange = Exchange()
      kept = exchange
      reader.onReady { withExtendedLifetime(exchange) {} }
    }
    #expect(kept != nil)
    reader.close()
    #expect(kept == nil)
  }
}
