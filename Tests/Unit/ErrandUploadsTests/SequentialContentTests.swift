import Dispatch
import ErrandCore
import ErrandCrypto
import Foundation
import TestSupport
import Testing

@testable import ErrandUploads

/// Content that can only be read from its start.
@Suite(.timeLimit(.minutes(1))) struct SequentialContentTests {
  /// Opens readers of a text, and counts them and the bytes that they gave out.
  private final class Content: Sendable {
    let text: String
    /// True if a reader has no bytes at every second read.
    let isSlow: Bool
    let opened = Locked(0)
    let closed = Locked(0)
    let bytes = Locked(0)

    init(_ text: String, isSlow: Bool = false) { (self.text, self.isSlow) = (text, isSlow) }

    var source: UploadSource {
      UploadSource(
        length: Int64(text.utf8.count), name: nil, key: "k",
        identity: UploadRecord.Identity(size: Int64(text.utf8.count), stamp: "s")
      ) { [self] in
        opened.withLock { $0 += 1 }
        return Reader(self)
      }
    }
  }

  private final class Reader: BodyReader {
    private let content: Content
    private let state = Locked<(place: Int, waits: Bool, handler: (@Sendable () -> Void)?)>((0, false, nil))
    let length: Int64? = nil

    init(_ content: Content) { self.content = content }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
      let (place, handler) = state.withLock { state -> (Int?, (@Sendable () -> Void)?) in
        if content.isSlow {
          state.waits.toggle()
          if state.waits { return (nil, state.handler) }
        }
        return (state.place, nil)
      }
      guard let place else {
        if let handler { DispatchQueue.global().async(execute: handler) }
        return .notYet
      }
      let rest = Array(content.text.utf8.dropFirst(place).prefix(buffer.count))
      if rest.isEmpty { return .end }
      buffer.copyBytes(from: rest)
      state.withLock { $0.place += rest.count }
      content.bytes.withLock { $0 += rest.count }
      return .bytes(rest.count)
    }

    func onReady(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.handler = handler } }
    func close() { content.closed.withLock { $0 += 1 } }
  }

  /// Reads so many bytes of the source from an offset, as a transport does.
  private func read(_ count: Int, of source: UploadSource, from offset: Int64) async throws -> String {
    let reader = try source.open(offset)
    defer { reader.close() }
    let (ready, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    reader.onReady { continuation.yield() }
    var waits = ready.makeAsyncIterator()
    var bytes: [UInt8] = []
    while bytes.count < count {
      let (room, rest) = (
        UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1), count - bytes.count
      )
      defer { room.deallocate() }
      switch try reader.fill(UnsafeMutableRawBufferPointer(rebasing: room.prefix(min(3, rest)))) {
      case .bytes(let count): bytes += room.prefix(count)
      case .notYet: await waits.next()
      case .end: return String(decoding: bytes, as: UTF8.self)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [false, true])
  func `the next request reads on where the last one stopped`(_ isSlow: Bool) async throws {
    let content = Content("abcdefghij", isSlow: isSlow)
    let source = content.source
    #expect(try await read(4, of: source, from: 0) == "abcd")
    #expect(try await read(4, of: source, from: 4) == "efgh")
    #expect(try await read(2, of: source, from: 8) == "ij")
    #expect(content.opened.withLock { $0 } == 1 && content.bytes.withLock { $0 } == 10)
    // Nothing is left to read.
    #expect(content.closed.withLock { $0 } == 1)
  }

  @Test(arguments: [false, true])
  func `bytes before the offset are read first, once`(_ isSlow: Bool) async throws {
    let content = Content("abcdefghij", isSlow: isSlow)
    let source = content.source
    #expect(try await read(2, of: source, from: 3) == "de")
    #expect(try await read(2, of: source, from: 7) == "hi")
    #expect(content.opened.withLock { $0 } == 1)
    // The way back is only through the beginning.
    #expect(try await read(2, of: source, from: 1) == "bc")
    #expect(content.opened.withLock { $0 } == 2)
  }

  @Test(arguments: [false, true])
  func `after the preparation the bytes are there at once`(_ isSlow: Bool) async throws {
    let content = Content("abcdefghij", isSlow: isSlow)
    let source = content.source
    try await source.prepare(6)
    #expect(content.bytes.withLock { $0 } == 6)
    #expect(try await read(4, of: source, from: 6) == "ghij")
    #expect(content.opened.withLock { $0 } == 1)
  }

  @Test func `a digest takes its own reader, and both go on`() async throws {
    let content = Content("abcdefghijkl")
    let source = content.source
    for start in stride(from: Int64(0), to: 12, by: 4) {
      let part = String("abcdefghijkl".dropFirst(Int(start)).prefix(4))
      let digest = try await source.digest(of: start..<start + 4).map { String(format: "%02x", $0) }.joined()
      #expect(digest == "\(SHA256Digest(hashing: Data(part.utf8)))")
      #expect(try await read(4, of: source, from: start) == part)
    }
    #expect(content.opened.withLock { $0 } == 2 && content.bytes.withLock { $0 } == 24)
  }

  @Test func `content that is too short is an error`() async throws {
    let source = Content("abc").source
    await #expect(throws: RequestError.self) { try await source.prepare(4) }
    await #expect(throws: RequestError.self) { try await read(1, of: source, from: 4) }
  }

  @Test func `a reader that is closed while it skips is not lost`() async throws {
    let content = Content(String(repeating: "x", count: 2_000_000))
    do {
      let source = content.source
      for _ in 0..<20 { try source.open(1_500_000).close() }
      try await waitUntil { content.bytes.withLock { $0 } > 0 }
    }
    try await waitUntil { content.closed.withLock { $0 } == content.opened.withLock { $0 } }
  }
}
