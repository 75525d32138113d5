import Errand
import NIOCore
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The body of a request, read piece by piece as AsyncHTTPClient sends it.
final class UploadChunks: AsyncSequence, Sendable {
  private static let size = 64 << 10

  private let reader: any BodyReader
  private let exchange: Exchange
  private let watch: IdleWatch
  private let ready = Signal()
  private let state = Mutex<(sent: Int64, failure: (any Error)?)>((0, nil))

  init(_ reader: any BodyReader, _ exchange: Exchange, _ watch: IdleWatch) {
    self.reader = reader
    self.exchange = exchange
    self.watch = watch
    reader.onReady { [ready] in ready.set() }
  }

  /// The number of bytes of the body; nil if it is known only at the end.
  var length: Int64? { reader.length }

  /// The number of bytes that AsyncHTTPClient has taken.
  var sent: Int64 { state.withLock { $0.sent } }

  /// The error of the reader, which AsyncHTTPClient may replace by another one.
  var failure: (any Error)? { state.withLock { $0.failure } }

  struct AsyncIterator: AsyncIteratorProtocol {
    let chunks: UploadChunks
    /// The number of bytes of the last chunk.
    var last = 0

    mutating func next() async throws -> ByteBuffer? {
      // AsyncHTTPClient asks for a chunk when it has written the one before.
      chunks.took(last)
      let buffer = try await chunks.read()
      last = buffer?.readableBytes ?? 0
      return buffer
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }

  private func took(_ count: Int) {
    watch.moved()
    guard count > 0 else { return }
    let sent = state.withLock { state in
      state.sent += Int64(count)
      return state.sent
    }
    exchange.didSend(total: sent)
  }

  private func read() async throws -> ByteBuffer? {
    do {
      var buffer = ByteBuffer()
      while true {
        var result = BodyRead.end
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.size) { space in
          result = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(Self.size)))
          if case .bytes(let count) = result { return count }
          return 0
        }
        switch result {
        case .bytes: return buffer
        case .end: return nil
        case .notYet: try await watch.pausing { try await ready.wait() }
        }
      }
    } catch {
      // AsyncHTTPClient cancels an upload that the server does not want. The body has not failed then.
      if !(error is CancellationError) { state.withLock { $0.failure = error } }
      throw error
    }
  }
}

extension Upload {
  /// Reads the body; nil without one.
  var reader: (any BodyReader)? {
    switch self {
    case .none: nil
    case .bytes(let data): BytesReader(data)
    case .reader(let reader): reader
    }
  }
}

/// Reads a body in memory piece by piece, so that each piece counts as progress.
private final class BytesReader: BodyReader {
  private let rest: Mutex<Data>
  let length: Int64?

  init(_ data: Data) {
    rest = Mutex(data)
    length = Int64(data.count)
  }

  var trailers: HTTPFields? { nil }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
    rest.withLock { rest in
      if rest.isEmpty { return .end }
      let piece = rest.prefix(buffer.count)
      buffer.copyBytes(from: piece)
      rest = rest.dropFirst(piece.count)
      return .bytes(piece.count)
    }
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {}
  func close() {}
}

/// Measures the time without transferred bytes.
final class IdleWatch: Sendable {
  private struct State {
    var moved = ContinuousClock.now
    /// The number of waits that are not the server's.
    var pauses = 0
    var hasTimedOut = false
  }

  private let limit: Duration
  private let state = Mutex(State())

  init(_ limit: Duration) { self.limit = limit }

  /// True if no bytes were transferred for the time-out.
  var hasTimedOut: Bool { state.withLock { $0.hasTimedOut } }

  /// Records that bytes were transferred.
  func moved() { state.withLock { $0.moved = .now } }

  /// Performs a wait that is not the server's.
  func pausing(_ wait: () async throws -> Void) async throws {
    state.withLock { $0.pauses += 1 }
    defer {
      state.withLock { state in
        state.pauses -= 1
        state.moved = .now
      }
    }
    try await wait()
  }

  /// Calls `end` if no bytes were transferred for the time-out. Returns when the task is cancelled.
  func whenIdle(_ end: () -> Void) async {
    while !Task.isCancelled {
      let rest = state.withLock { state in
        if state.pauses > 0 { return limit }
        let rest = limit - (ContinuousClock.now - state.moved)
        if rest <= .zero { state.hasTimedOut = true }
        return rest
      }
      if rest <= .zero { return end() }
      try? await Task.sleep(for: rest)
    }
  }
}

/// A signal that wakes one waiting task each time it is set. If no task waits, the next wait returns at once.
final class Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func set() { continuation.yield() }

  /// - Throws: `CancellationError` if the task is cancelled.
  func wait() async throws {
    for await _ in stream { return try Task.checkCancellation() }
    throw CancellationError()
  }
}
