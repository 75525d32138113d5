import ErrandCore
import Foundation

#if canImport(Darwin)
  /// Copies a body into the stream that URLSession reads.
  ///
  /// The pump has a separate thread while it runs. A bound pair of streams blocks its writer when it is full,
  /// which is its only form of backpressure.
  final class StreamPump: Sendable {
    private struct State {
      var input: InputStream?
      var failure: (any Error)?
      var isClosed = false
    }

    private static let capacity = 256 << 10

    let length: Int64?
    private let reader: any BodyReader
    // Used only by the pump's thread, which starts once.
    nonisolated(unsafe) private let output: OutputStream
    private let ready = DispatchSemaphore(value: 0)
    private let state: Locked<State>

    init(_ reader: any BodyReader) {
      self.reader = reader
      length = reader.length
      var (input, output): (InputStream?, OutputStream?)
      Stream.getBoundStreams(withBufferSize: Self.capacity, inputStream: &input, outputStream: &output)
      guard let input, let output else { preconditionFailure("no memory for a pair of streams") }
      self.output = output
      state = Locked(State(input: input))
    }

    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Returns the stream to read from; nil after the first call.
    func takeStream() -> InputStream? {
      let input: InputStream? = state.withLock { state in
        // Safe to send: the state has no reference to the stream any more.
        nonisolated(unsafe) let input = state.input.take()
        return input
      }
      guard let input else { return nil }
      reader.onReady { [ready] in ready.signal() }
      Thread.detachNewThread { self.run() }
      return input
    }

    func close() {
      state.withLock { $0.isClosed = true }
      ready.signal()
    }

    private func run() {
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
      output.open()
      defer {
        output.close()
        room.deallocate()
      }
      do {
        while !state.withLock({ $0.isClosed }) {
          switch try reader.fill(room) {
          case .bytes(let count):
            guard write(UnsafeRawBufferPointer(rebasing: room[..<count])) else { return }
          case .notYet: ready.wait()
          case .end: return
          }
        }
      } catch {
        // The announced length is not reached, so the server cannot mistake the bytes for the whole body.
        state.withLock { $0.failure = error }
      }
    }

    /// Returns false if the reading end is closed.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
      var rest = bytes.bindMemory(to: UInt8.self)[...]
      while !rest.isEmpty {
        let left = UnsafeBufferPointer(rebasing: rest)
        guard let start = left.baseAddress else { return true }
        let count = output.write(start, maxLength: left.count)
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }
#else
  /// Unused on Linux, where URLSession would read the stream on the thread that does all its work.
  /// `BodySpool` is used instead.
  final class StreamPump: Sendable {
    var length: Int64? { nil }
    var failure: (any Error)? { nil }
    func takeStream() -> InputStream? { nil }
    func close() {}
  }
#endif
