#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension RequestBody {
  /// The length in bytes; nil if it is known only at the end, or if a file of the body cannot be examined.
  public var length: Int64? {
    switch content {
    case .file(let path): try? SegmentReader([.file(path: path)]).length
    case .multipart(let form): try? SegmentReader(form.segments).length
    case .trailed(let trailed): trailed.body.length
    case .none, .bytes, .json, .stream, .source, .invalid: lengthInMemory
    }
  }

  /// The length, if it is known without examining files.
  private var lengthInMemory: Int64? {
    switch content {
    case .none: 0
    case .bytes(let data): Int64(data.count)
    case .json: encoded().lengthInMemory
    case .stream(let stream): stream.length
    case .source(let source): source.length
    case .trailed(let trailed): trailed.body.lengthInMemory
    case .file, .multipart, .invalid: nil
    }
  }

  /// Reads the whole body into memory, for example to sign it. The body can be read again afterwards.
  /// - Parameter limit: The maximum number of bytes to read.
  /// - Throws: `RequestError`: `bodyTooLarge` if there are more bytes, and the errors of `chunks`.
  public func bytes(limit: Int) async throws -> Data {
    if let length = lengthInMemory, length > limit { throw Self.tooLarge(limit) }
    var bytes = Data()
    for try await chunk in chunks {
      guard chunk.count <= limit - bytes.count else { throw Self.tooLarge(limit) }
      if bytes.isEmpty { bytes = chunk } else { bytes.append(chunk) }
    }
    return bytes
  }

  /// The body in chunks of at most 256 KiB, each of which is read when it is requested. Each iteration starts
  /// at the beginning. Files are read on dedicated threads, so that the threads that all tasks share do not
  /// wait for a disk.
  ///
  /// ```swift
  /// var hash = SHA256()
  /// for try await chunk in request.body.chunks { hash.update(data: chunk) }
  /// ```
  ///
  /// An iteration throws `RequestError`: `bodyNotReplayable` for a stream, which only its upload can read;
  /// `fileUnreadable` or `fileChanged` if a file cannot be read to its end; `cancelled` if the task is
  /// cancelled.
  public var chunks: some AsyncSequence<Data, any Error> & Sendable { BodyChunks(self) }

  private static func tooLarge(_ limit: Int) -> RequestError {
    RequestError(
      .bodyTooLarge,
      message: "the body of the request has more than \(limit) bytes, the limit for reading it into memory; "
        + "raise the limit, or read its chunks",
      reachedServer: false)
  }
}

/// The bytes of a request's body, chunk by chunk, as `RequestBody.chunks` returns them.
struct BodyChunks: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  private let body: RequestBody

  init(_ body: RequestBody) { self.body = body }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body) }

  /// Reads the body once, from its beginning.
  struct AsyncIterator: AsyncIteratorProtocol {
    private enum State {
      case unread(RequestBody)
      case bytes(Data)
      case reading(BodyReading)
      case ended
    }

    private var state: State

    init(_ body: RequestBody) { state = .unread(body) }

    mutating func next() async throws -> Data? {
      try await next(isolation: nil)
    }

    /// Returns the next chunk; nil at the end, and after an error.
    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
      do {
        try CancellationToken.checkTask()
        if case .unread(let body) = state { state = try Self.opened(body) }
        switch state {
        case .bytes(let data):
          let chunk = data.prefix(BodyReading.chunkSize)
          state = chunk.count == data.count ? .ended : .bytes(data.dropFirst(chunk.count))
          return chunk.isEmpty ? nil : chunk
        case .reading(let reading):
          if let chunk = try await reading.next() { return chunk }
          state = .ended
          return nil
        case .unread, .ended: return nil
        }
      } catch {
        state = .ended
        throw error
      }
    }

    private static func opened(_ body: RequestBody) throws -> State {
      switch body.content {
      case .none: return .ended
      case .bytes(let data): return .bytes(data)
      case .json: return try opened(body.encoded())
      case .trailed(let trailed): return try opened(trailed.body)
      case .file, .multipart, .source: return .reading(BodyReading(body))
      case .stream:
        throw RequestError(
          .bodyNotReplayable,
          message:
            "the body is a stream, which only its upload can read; to read the body before it is sent, for "
            + "example to sign it, use bytes or a file",
          reachedServer: false)
      case .invalid(let reason):
        throw RequestError(.invalidRequest, message: reason, reachedServer: false)
      }
    }
  }
}
