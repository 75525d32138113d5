import Dispatch
import ErrandCore
import Foundation

/// Reads an `InputStream` on a separate queue, because the stream blocks its reader until its writer has written.
final class StreamChunks: Sendable {
  // Safe to share: only work on `queue` uses it.
  nonisolated(unsafe) private let stream: InputStream
  private let queue = DispatchQueue(label: "errand.body-stream")

  init(_ stream: InputStream) {
    self.stream = stream
    // Opening a pipe waits for its writer. Safe to send: only `queue` uses it.
    nonisolated(unsafe) let opened = stream
    queue.async { opened.open() }
  }

  deinit {
    // Safe to send: nothing else uses the stream any more. It may still be opening.
    nonisolated(unsafe) let stream = stream
    queue.async { stream.close() }
  }

  /// Reads until the end, or until there are more bytes than `limit`.
  func read(atMost limit: Int) async throws -> (Data, isWhole: Bool) {
    var data = Data()
    while data.count <= limit {
      guard let chunk = try await next() else { return (data, true) }
      data.append(chunk)
    }
    return (data, false)
  }

  /// Returns the next bytes; nil at the end.
  /// - Throws: `CancellationError` as soon as the task is cancelled, because the writer may take forever.
  func next() async throws -> Data? {
    let read = StreamRead()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        read.wait(continuation)
        queue.async { read.end(Result { try self.readNow() }) }
      }
    } onCancel: {
      read.end(.failure(CancellationError()))
    }
  }

  private func readNow() throws -> Data? {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = stream.read(&bytes, maxLength: bytes.count)
    if count < 0 {
      let cause = stream.streamError.map { [NSUnderlyingErrorKey: $0] } ?? [:]
      throw URLError(.requestBodyStreamExhausted, userInfo: cause)
    }
    return count == 0 ? nil : Data(bytes[..<count])
  }
}

/// The wait for one piece of a stream. Its first outcome counts.
private final class StreamRead: Sendable {
  typealias Waiter = CheckedContinuation<Data?, any Error>

  private struct State {
    var waiter: Waiter?
    var result: Result<Data?, any Error>?
  }

  private let state = Locked(State())

  func wait(_ waiter: Waiter) {
    let result = state.withLock { state in
      if state.result == nil { state.waiter = waiter }
      return state.result
    }
    if let result { waiter.resume(with: result) }
  }

  func end(_ result: Result<Data?, any Error>) {
    let waiter = state.withLock { state -> Waiter? in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: result)
  }
}

/// The bytes that were read from a stream, and the rest of the stream.
struct StreamBody: AsyncSequence, Sendable {
  let beginning: Data
  let rest: StreamChunks

  struct AsyncIterator: AsyncIteratorProtocol {
    var beginning: Data?
    let rest: StreamChunks

    mutating func next() async throws -> Data? {
      if let first = beginning {
        beginning = nil
        return first
      }
      return try await rest.next()
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(beginning: beginning, rest: rest) }
}
