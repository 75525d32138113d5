import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads a body of files, or of a source, from beginning to end, chunk by chunk, on a dedicated thread. There
/// is one consumer.
final class BodyReading: Sendable {
  private struct State {
    var body: RequestBody?
    var reader: (any BodyReader)?
    /// The chunk that the consumer waits for.
    var wanted: Promise<Data?>?
    /// True after the reader returned `.notYet`, until it is ready.
    var isWaiting = false
    /// True if the reader became ready while it was being read.
    var isReady = false
    var isClosed = false
  }

  static let chunkSize = 256 << 10

  // Serial, because on Linux only a serial queue has a dedicated thread; concurrent queues share theirs with
  // all tasks.
  private let queue = DispatchQueue(label: "errand.body")
  private let state: Locked<State>

  init(_ body: RequestBody) { state = Locked(State(body: body)) }

  deinit { close() }

  /// Returns the next chunk; nil at the end, and after an error.
  /// - Throws: The body's error, once; `RequestError` (`cancelled`) if the task is cancelled.
  func next() async throws -> Data? {
    let chunk = Promise<Data?>()
    state.withLock { $0.wanted = chunk }
    queue.async { [weak self] in self?.read() }
    do {
      return try await chunk.value()
    } catch {
      close()
      throw error
    }
  }

  /// Runs on the queue.
  private func read() {
    let result = Result { try step() }
    if case .success(.notYet) = result {
      let isReady = state.withLock { state in
        defer { state.isReady = false }
        state.isWaiting = !state.isReady
        return state.isReady
      }
      if isReady { queue.async { [weak self] in self?.read() } }
      return
    }
    let wanted = state.withLock { state in
      defer { state.wanted = nil }
      return state.wanted
    }
    wanted?.settle(
      result.map { step in
        if case .chunk(let data) = step { data } else { nil }
      })
  }

  private enum Step {
    case chunk(Data)
    case notYet
    case end
  }

  private func step() throws -> Step {
    guard let reader = try opened() else { return .end }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkSize, alignment: 16)
    let read: BodyRead
    do {
      read = try unsafe reader.fill(room)
    } catch {
      unsafe room.deallocate()
      throw error
    }
    guard case .bytes(let count) = read, let start = room.baseAddress else {
      unsafe room.deallocate()
      return read == .notYet ? .notYet : .end
    }
    // Copying a small chunk takes less memory than keeping its buffer.
    guard count > Self.chunkSize / 2 else {
      defer { unsafe room.deallocate() }
      return unsafe .chunk(Data(bytes: start, count: count))
    }
    return unsafe .chunk(
      Data(bytesNoCopy: start, count: count, deallocator: .custom { start, _ in unsafe start.deallocate() }))
  }

  /// Returns the reader, which it opens for the first chunk; nil if it was closed.
  private func opened() throws -> (any BodyReader)? {
    let (body, reader) = state.withLock { state in
      defer { state.body = nil }
      return (state.body, state.reader)
    }
    guard let body else { return reader }
    guard case .reader(let opened) = try body.open(compressed: false) else { return nil }
    opened.onReady { [weak self] in self?.becameReady() }
    let isClosed = state.withLock { state in
      if !state.isClosed { state.reader = opened }
      return state.isClosed
    }
    guard isClosed else { return opened }
    opened.close()
    return nil
  }

  private func becameReady() {
    let isWaiting = state.withLock { state in
      defer { state.isWaiting = false }
      state.isReady = !state.isWaiting
      return state.isWaiting
    }
    if isWaiting { queue.async { [weak self] in self?.read() } }
  }

  private func close() {
    let reader = state.withLock { state in
      state.isClosed = true
      defer { (state.reader, state.body) = (nil, nil) }
      return state.reader
    }
    guard let reader else { return }
    // On the queue, so that a read in progress ends first.
    queue.async { reader.close() }
  }
}
