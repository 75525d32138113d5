import Dispatch
import ErrandCrypto
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct BodyReadingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("from a file", to: "file")
  }

  /// Bodies of all kinds that can be read again.
  private var bodies: [RequestBody] {
    [
      .none, .bytes(Data()), .bytes(Data.seeded(600_000)), .text("é"), .json(["b": 1, "a": 2]),
      .form(["a": "1&2"]), .file(folder.file("file")),
      .multipart(MultipartForm().field("a", "b").file("f", at: folder.file("file"))),
      .source(length: 3, contentType: nil) { ScriptedReader(["ab", "c"]) },
    ]
  }

  private static var chunks: AsyncStream<Data> {
    AsyncStream { stream in
      stream.yield(Data("abc".utf8))
      stream.finish()
    }
  }

  @Test func `a body of any kind except a stream can be read as it is sent, more than once`() async throws {
    let stub = StubTransport { _ in .response() }
    let client = Client(transport: stub)
    for (index, body) in bodies.enumerated() {
      let read = try await body.bytes(limit: 1 << 20)
      try await client.send(.post("http://a.test/", body))
      #expect(stub.requests[index].body == read, "\(body)")
      #expect(body.length == Int64(read.count), "\(body)")
      #expect(try await body.bytes(limit: read.count) == read, "\(body)")
    }
  }

  @Test func `an interceptor can read the body that it sends, whatever its kind`() async throws {
    struct Summer: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        let body = try await request.body.bytes(limit: 1 << 20)
        return try await next(request.field("X-Sum", SHA256Digest(hashing: body).description))
      }
    }
    let stage = Stage.configured { $0.attemptInterceptors = [Summer()] }.responding {
      $0.index % 2 == 0 ? .response(status: 503) : .response()
    }
    for body in bodies { try await stage.client.send(Request(.put, "http://a.test/", body: body)) }
    #expect(stage.stub.requests.count == 2 * bodies.count)
    for request in stage.stub.requests {
      #expect(request.fields["X-Sum"] == SHA256Digest(hashing: request.body).description)
    }
  }

  @Test func `reading a stream is refused, and the stream can still be sent`() async throws {
    let body = RequestBody.stream(Self.chunks, length: 3)
    #expect(body.length == 3)
    let error = await #expect(throws: RequestError.self) { try await body.bytes(limit: 100) }
    #expect(error?.code == .bodyNotReplayable)
    #expect(error?.message.contains("use bytes or a file") == true)
    let stub = StubTransport { _ in .response() }
    try await Client(transport: stub).send(.post("http://a.test/", body))
    #expect(stub.requests[0].text == "abc")
  }

  @Test func `a body longer than the limit is refused, whether its length is known or not`() async throws {
    let unknown = RequestBody.source(length: nil, contentType: nil) { ScriptedReader(["abc", "de"]) }
    #expect(unknown.length == nil)
    for body in [RequestBody.text("abcde"), .json("abc"), unknown] {
      #expect(try await body.bytes(limit: 5).count == 5)
      for limit in [4, 0, -1] {
        let error = await #expect(throws: RequestError.self) { try await body.bytes(limit: limit) }
        #expect(error?.code == .bodyTooLarge)
      }
    }
  }

  @Test func `chunks are small for a body of any size`() async throws {
    let data = Data.seeded(1_000_000)
    try folder.write(data, to: "large")
    for body in [RequestBody.bytes(data), .file(folder.file("large"))] {
      var all = Data()
      for try await chunk in body.chunks {
        #expect(1...256 << 10 ~= chunk.count)
        all += chunk
      }
      #expect(all == data)
    }
  }

  @Test func `reading fails if the file is missing or changes its length`() async throws {
    try folder.write(Data(count: 600_000), to: "large")
    var chunks = RequestBody.file(folder.file("large")).chunks.makeAsyncIterator()
    _ = try await chunks.next(isolation: nil)
    try folder.write(Data(count: 600_001), to: "large")
    let change = await #expect(throws: RequestError.self) {
      while try await chunks.next(isolation: nil) != nil {}
    }
    #expect(change?.code == .fileChanged)
    #expect(try await chunks.next(isolation: nil) == nil)
    let missing = await #expect(throws: RequestError.self) {
      try await RequestBody.file(folder.file("missing")).bytes(limit: 1)
    }
    #expect(missing?.code == .fileUnreadable)
    #expect(RequestBody.file(folder.file("missing")).length == nil)
  }

  @Test func `a body that cannot be sent cannot be read`() async throws {
    let error = await #expect(throws: RequestError.self) {
      try await RequestBody.json(Double.nan).bytes(limit: 100)
    }
    #expect(error?.code == .invalidRequest)
  }

  @Test func `a reader without bytes is read again when it is ready`() async throws {
    let body = RequestBody.source(length: nil, contentType: nil) {
      ScriptedReader(["a", nil, "b", nil, nil, "c"], isReady: true)
    }
    for _ in 0..<100 { #expect(try await body.bytes(limit: 9) == Data("abc".utf8)) }
  }

  @Test func `a cancelled reading ends at once, and its reader is closed`() async throws {
    let reader = ScriptedReader([nil])
    let task = Task { try await RequestBody.source(length: nil, contentType: nil) { reader }.bytes(limit: 9) }
    while !reader.wasRead { await Task.yield() }
    task.cancel()
    let error = await #expect(throws: RequestError.self) { try await task.value }
    #expect(error?.isCancellation == true)
    while !reader.isClosed { await Task.yield() }
  }

  @Test func `a reading that its caller abandons closes its reader`() async throws {
    let reader = ScriptedReader(["a", "b"])
    for try await _ in RequestBody.source(length: nil, contentType: nil, { reader }).chunks { break }
    while !reader.isClosed { await Task.yield() }
  }

  @Test func `readers that wait for a disk do not block the threads of tasks`() async throws {
    let disk = DispatchSemaphore(value: 0)
    let count = 32
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          let body = RequestBody.source(length: nil, contentType: nil) { ScriptedReader(["a"], disk: disk) }
          let bytes = try await body.bytes(limit: 9)
          #expect(bytes == Data("a".utf8))
        }
      }
      // Runs while all readers wait, each of them twice: for its bytes and for its end.
      group.addTask { for _ in 0..<2 * count { disk.signal() } }
      try await group.waitForAll()
    }
  }
}

/// A reader that returns texts; nil means that it has no bytes at the moment.
private final class ScriptedReader: BodyReader {
  private struct State {
    var texts: [String?]
    var ready: (@Sendable () -> Void)?
    var wasRead = false
    var isClosed = false
  }

  private let state: Locked<State>
  private let isReady: Bool
  private let disk: DispatchSemaphore?
  let length: Int64? = nil

  /// - Parameters:
  ///   - isReady: True if it has bytes again right after it had none, and signals that more often than
  ///     necessary.
  ///   - disk: Waits for a signal of this semaphore before each read.
  init(_ texts: [String?], isReady: Bool = false, disk: DispatchSemaphore? = nil) {
    state = Locked(State(texts: texts))
    self.isReady = isReady
    self.disk = disk
  }

  var wasRead: Bool { state.withLock { $0.wasRead } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    _ = disk?.wait(timeout: .now() + 20)
    let (next, ready) = state.withLock { state -> (ArraySlice<String?>, (@Sendable () -> Void)?) in
      state.wasRead = true
      defer { state.texts = Array(state.texts.dropFirst()) }
      return (state.texts.prefix(1), state.ready)
    }
    if isReady { DispatchQueue.global().async { ready?() } }
    guard let next = next.first else { return .end }
    guard let text = next else { return .notYet }
    buffer.copyBytes(from: Array(text.utf8))
    return .bytes(text.utf8.count)
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.ready = handler } }
  func close() { state.withLock { $0.isClosed = true } }
}
