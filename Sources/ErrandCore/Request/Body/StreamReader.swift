#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads an async sequence of chunks, one chunk ahead.
final class StreamReader: BodyReader {
  private struct State {
    var chunk = Data()
    var end: Result<Void, any Error>?
    var readerWaits = false
    var isClosed = false
    var ready: (@Sendable () -> Void)?
    /// The producer, which is suspended until its chunk has been read.
    var producer: CheckedContinuation<Bool, Never>?
    var task: Task<Void, Never>?
  }

  private let state = Locked(State())
  let length: Int64?

  init(_ reading: @escaping BodyStream.Reading, length: Int64?) {
    self.length = length
    let task = Task { await self.produce(reading) }
    let isClosed = state.withLock { state in
      state.task = task
      return state.isClosed
    }
    if isClosed { task.cancel() }
  }

  private func produce(_ reading: BodyStream.Reading) async {
    do {
      var total: Int64 = 0
      var last: Data?
      try await reading { chunk in
        guard !chunk.isEmpty else { return true }
        total += Int64(chunk.count)
        if let length, total > length { throw Self.wrongLength(length, "more") }
        // The chunk that completes the body is not sent until the stream has ended, so that the server does
        // not take an incomplete body for complete.
        if total == length {
          last = chunk
          return true
        }
        return await offer(chunk)
      }
      if let last, await !offer(last) { return }
      if let length, total < length { throw Self.wrongLength(length, "\(total)") }
      finish(.success(()))
    } catch {
      finish(.failure(error))
    }
  }

  /// Offers a chunk to the reader. Returns true when the chunk has been read, and false if the reader was
  /// closed.
  private func offer(_ chunk: Data) async -> Bool {
    await withCheckedContinuation { continuation in
      let (isClosed, ready) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
        guard !state.isClosed else { return (true, nil) }
        state.chunk = chunk
        state.producer = continuation
        defer { state.readerWaits = false }
        return (false, state.readerWaits ? state.ready : nil)
      }
      if isClosed { continuation.resume(returning: false) }
      ready?()
    }
  }

  private func finish(_ result: Result<Void, any Error>) {
    let ready: (@Sendable () -> Void)? = state.withLock { state in
      state.end = result
      defer { state.readerWaits = false }
      return state.readerWaits ? state.ready : nil
    }
    ready?()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    let (result, producer) = state.withLock {
      state -> (Result<BodyRead, any Error>, CheckedContinuation<Bool, Never>?) in
      if !state.chunk.isEmpty {
        let count = min(buffer.count, state.chunk.count)
        unsafe buffer.copyBytes(from: state.chunk.prefix(count))
        state.chunk = count == state.chunk.count ? Data() : state.chunk.dropFirst(count)
        guard state.chunk.isEmpty else { return (.success(.bytes(count)), nil) }
        defer { state.producer = nil }
        return (.success(.bytes(count)), state.producer)
      }
      if let end = state.end { return (end.map { BodyRead.end }, nil) }
      state.readerWaits = true
      return (.success(.notYet), nil)
    }
    producer?.resume(returning: true)
    return try result.mapError { error in
      (error as? RequestError)
        ?? RequestError(
          .bodyFailed, message: "the stream of the body failed: \(error.shown)", reachedServer: true,
          underlying: error)
    }.get()
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.ready = handler }
  }

  func close() {
    let (task, producer) = state.withLock {
      state -> (Task<Void, Never>?, CheckedContinuation<Bool, Never>?) in
      state.isClosed = true
      state.ready = nil
      defer { state.producer = nil }
      return (state.task, state.producer)
    }
    task?.cancel()
    producer?.resume(returning: false)
  }

  private static func wrongLength(_ length: Int64, _ came: String) -> RequestError {
    RequestError(
      .bodyFailed,
      message: "the stream of the body brought \(came) bytes instead of \(length)", reachedServer: true)
  }
}
