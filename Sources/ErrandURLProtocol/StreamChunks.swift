import Dispatch
import ErrandCore
import Foundation

/// Reads an `InputStream`, which blocks, on a queue of its own.
final class StreamChunks: @unchecked Sendable {
  // One reader at a time: first whoever begins the load, then `queue`.
  private let stream: InputStream
  private let queue = DispatchQueue(label: "errand.body-stream")

  init(_ stream: InputStream) {
    self.stream = stream
    stream.open()
  }

  deinit { stream.close() }

  /// Reads until the end, or until there are more bytes than this.
  func read(atMost limit: Int) throws -> (Data, isWhole: Bool) {
    var data = Data()
    while data.count <= limit {
      guard let chunk = try readNow() else { return (data, true) }
      data.append(chunk)
    }
    return (data, false)
  }

  /// Returns the next bytes; nil at the end.
  func next() async throws -> Data? {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try self.readNow() }) }
    }
  }

  private func readNow() throws -> Data? {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = stream.read(&bytes, maxLength: bytes.count)
    if count < 0 { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
    return count == 0 ? nil : Data(bytes[..<count])
  }
}

/// What was read of a stream, and the rest of it.
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
