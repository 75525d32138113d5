#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension RequestBody {
  /// Makes a body of chunks from an async sequence, with trailers after it (RFC 9110, section 6.5), such as a
  /// checksum that is known only at the end. It can be read only once, so its request is not retried.
  ///
  /// ```swift
  /// .stream(chunks, trailers: { ["X-Checksum": hash.withLock { $0.hexadecimal }] })
  /// ```
  ///
  /// `withTrailers(_:)` describes the rules of trailers.
  /// - Parameters:
  ///   - contentType: The media type. Default: `application/octet-stream`.
  ///   - trailers: Makes the trailers. It is called once, after the last chunk was read.
  public static func stream<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, contentType: String = "application/octet-stream",
    trailers: @escaping @Sendable () async throws -> HTTPFields
  ) -> RequestBody where Chunks.Element == Data {
    stream(chunks, length: nil, contentType: contentType).withTrailers(trailers)
  }

  /// Returns the body with trailers: fields that are sent after it (RFC 9110, section 6.5).
  ///
  /// The body is sent chunked, without `Content-Length`, over HTTP/1.1. So a stream of a given `length` is
  /// refused with `RequestError(.invalidRequest)`. `CurlTransport` refuses HTTP/2 (`httpVersion(.http2)`) with
  /// `.unsupported`, and `URLSessionTransport` refuses each request with trailers. If a server needs the names
  /// of the trailers beforehand, set the header field `Trailer`.
  ///
  /// Trailers are checked like header fields when they are made. Fields that a server needs before the body
  /// are refused: framing, routing, conditions, authentication, and those that describe the body, such as
  /// `Content-Type` (RFC 9110, section 6.5.1). The limit is 32 KiB. If a check or `trailers` fails, the request
  /// fails, and the server gets an incomplete body.
  /// - Parameter trailers: Makes the trailers. Each attempt and each redirect that sends the body again calls
  ///   it, after the body was read to its end. It replaces earlier trailers of the body. Its error fails the
  ///   request with `RequestError(.bodyFailed)`.
  public func withTrailers(_ trailers: @escaping @Sendable () async throws -> HTTPFields) -> RequestBody {
    withoutTrailers.trailed(by: trailers)
  }
}

/// A body with trailers after it. Two of them are equal only if they are the same object.
final class TrailedBody: Sendable, Hashable {
  typealias Trailers = @Sendable () async throws -> HTTPFields

  let body: RequestBody
  let trailers: Trailers

  init(_ body: RequestBody, _ trailers: @escaping Trailers) {
    self.body = body
    self.trailers = trailers
  }

  /// The reason why the body cannot be sent, or nil.
  var problem: String? {
    switch body.content {
    case .none: "a request without a body cannot have trailers; send a body, or header fields"
    case .stream(let stream) where stream.length != nil:
      "a body with trailers is sent chunked, without Content-Length; make the stream without a length"
    default: body.problem
    }
  }

  static func == (left: TrailedBody, right: TrailedBody) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension RequestBody {
  /// The function that makes the trailers; nil without trailers.
  var trailers: TrailedBody.Trailers? {
    if case .trailed(let trailed) = content { trailed.trailers } else { nil }
  }

  var withoutTrailers: RequestBody { if case .trailed(let trailed) = content { trailed.body } else { self } }

  /// Returns the body with these trailers; without trailers if they are nil.
  func trailed(by trailers: TrailedBody.Trailers?) -> RequestBody {
    guard let trailers else { return self }
    return RequestBody(.trailed(TrailedBody(self, trailers)), contentType)
  }
}

/// Reads a body, and then makes its trailers.
final class TrailedReader: BodyReader {
  private enum Phase {
    case body
    case making
    case ended(Result<HTTPFields, any Error>)
  }

  private struct State {
    var phase = Phase.body
    var isClosed = false
    var ready: (@Sendable () -> Void)?
    var task: Task<Void, Never>?
  }

  private let reader: any BodyReader
  private let make: TrailedBody.Trailers
  private let state = Locked(State())

  init(_ reader: any BodyReader, _ make: @escaping TrailedBody.Trailers) {
    self.reader = reader
    self.make = make
  }

  /// Nil, also for a body of known length, because a body with trailers is sent chunked.
  var length: Int64? { nil }

  var trailers: HTTPFields? {
    if case .ended(.success(let fields)) = state.withLock({ $0.phase }) { fields } else { [:] }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    switch state.withLock({ $0.phase }) {
    case .body: break
    case .making: return .notYet
    case .ended(let result): return try result.map { _ in BodyRead.end }.get()
    }
    let read = try unsafe reader.read(into: buffer)
    guard read == .end else { return read }
    state.withLock { $0.phase = .making }
    let task = Task { end(await Self.result(of: make)) }
    let isClosed = state.withLock { state in
      state.task = task
      return state.isClosed
    }
    if isClosed { task.cancel() }
    return .notYet
  }

  private static func result(of make: TrailedBody.Trailers) async -> Result<HTTPFields, any Error> {
    var fields: HTTPFields
    do { fields = try await make() } catch {
      let failure = RequestError(
        .bodyFailed, message: "the trailers of the body could not be made: \(error.shown)",
        reachedServer: true, underlying: error)
      return .failure((error as? RequestError) ?? failure)
    }
    fields.trimValues()
    guard let problem = TrailerFields.problem(of: fields) else { return .success(fields) }
    return .failure(RequestError(.invalidRequest, message: problem, reachedServer: true))
  }

  private func end(_ result: Result<HTTPFields, any Error>) {
    let ready = state.withLock { state in
      state.phase = .ended(result)
      return state.ready
    }
    ready?()
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.ready = handler }
    reader.onReady(handler)
  }

  func close() {
    let task = state.withLock { state in
      state.isClosed = true
      state.ready = nil
      return state.task
    }
    task?.cancel()
    reader.close()
  }
}
