import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct UploadTests {
  private func drain(_ upload: Upload, room: Int = 7) async throws -> Data {
    switch upload {
    case .none: return Data()
    case .bytes(let data): return data
    case .reader(let reader):
      var all = Data()
      let (ready, wake) = AsyncStream.makeStream(of: Void.self)
      reader.onReady { wake.yield() }
      var wakes = ready.makeAsyncIterator()
      while true {
        var buffer = [UInt8](repeating: 0, count: room)
        switch try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }) {
        case .bytes(let count): all += buffer.prefix(count)
        case .end: return all
        case .notYet: await wakes.next()
        }
      }
    }
  }

  private func withFile<Result>(_ content: Data, _ body: (URL) async throws -> Result) async throws -> Result
  {
    try await TemporaryFolder.using { folder in
      let file = folder.appending(path: "file")
      try content.write(to: file)
      return try await body(file)
    }
  }

  @Test func `a multipart form is encoded as RFC 7578 says, and its length is known in advance`() async throws
  {
    try await withFile(Data("file\r\ncontent".utf8)) { file in
      let form = MultipartForm(boundary: "B").field("a\"\r\n", "1").file("f", at: file, fileName: "ä.txt")
      let upload = try RequestBody.multipart(form).open(compressed: false)
      let sent = try await drain(upload)
      #expect(
        String(decoding: sent, as: UTF8.self)
          == "--B\r\nContent-Disposition: form-data; name=\"a%22%0D%0A\"\r\n\r\n1"
          + "\r\n--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"ä.txt\"\r\n"
          + "Content-Type: application/octet-stream\r\n\r\nfile\r\ncontent\r\n--B--\r\n")
      #expect(upload.length == Int64(sent.count))
    }
  }

  @Test func `a multipart form without parts is valid`() async throws {
    let sent = try await drain(RequestBody.multipart(MultipartForm(boundary: "B")).open(compressed: false))
    #expect(sent == Data("--B--\r\n".utf8))
  }

  @Test func `a missing file or a folder is refused before anything is sent`() {
    for path in ["/nowhere/at/all", "/tmp"] {
      let error = #expect(throws: RequestError.self) {
        _ = try RequestBody.file(URL(filePath: path)).open(compressed: false)
      }
      #expect(error?.code == .fileUnreadable)
      #expect(error?.description.contains(path) == true)
    }
  }

  @Test(arguments: [-1, 1])
  func `a file whose length changes while it is sent is never sent completely`(change: Int) async throws {
    try await withFile(Data(repeating: 7, count: 1000)) { file in
      let upload = try RequestBody.file(file).open(compressed: false)
      try Data(repeating: 7, count: 1000 + change).write(to: file)
      let error = await #expect(throws: RequestError.self) { _ = try await drain(upload, room: 300) }
      #expect(error?.code == .fileChanged)
    }
  }

  @Test(.computesLong, arguments: [0, 1, 70_000, 3_000_000])
  func `a compressed body expands to the same bytes, from memory and from a file`(size: Int) async throws {
    let content = Data.seeded(size, mask: 3)
    let inMemory = try await drain(RequestBody.bytes(content).open(compressed: true))
    #expect(try await gunzip(inMemory) == content)
    try await withFile(content) { file in
      let upload = try RequestBody.file(file).open(compressed: true)
      #expect(upload.length == nil)
      #expect(try await gunzip(drain(upload, room: 1000)) == content)
    }
  }

  @Test func `compressing a large body does not block its task's thread`() async throws {
    let thread = OneThread("test")
    let order = Locked<[String]>([])
    let compress: @Sendable () async throws -> Void = {
      _ = try await RequestBody.bytes(Data(count: 10_000_000)).openCompressed(unless: CancellationToken())
      order.withLock { $0.append("compressed") }
    }
    // Both wait for the same thread, in this order.
    thread.queue.suspend()
    let compressing = Task(executorPreference: thread, operation: compress)
    let other = Task(executorPreference: thread) { order.withLock { $0.append("other") } }
    thread.queue.resume()
    await other.value
    try await compressing.value
    #expect(order.withLock { $0 } == ["other", "compressed"])
  }

  @Test func `a cancelled call does not wait until its body is compressed`() async throws {
    let cancellation = CancellationToken()
    cancellation.cancel(.cancelled(.callCancelled))
    await #expect(throws: RequestError.self) {
      _ = try await RequestBody.bytes(Data(count: 10_000_000)).openCompressed(unless: cancellation)
    }
  }

  private func gunzip(_ data: Data) async throws -> Data {
    try await Program.output(of: "gzip", ["-dc"], input: data)
  }

  @Test func `a stream delivers its chunks in order, once`() async throws {
    let chunks = (0..<50).map { Data(repeating: UInt8($0), count: $0) }
    let body = RequestBody.stream(
      AsyncStream { stream in
        for chunk in chunks { stream.yield(chunk) }
        stream.finish()
      })
    #expect(try await drain(body.open(compressed: false)) == chunks.reduce(Data(), +))
    let error = #expect(throws: RequestError.self) { _ = try body.open(compressed: false) }
    #expect(error?.code == .bodyNotReplayable)
  }

  @Test(arguments: [9, 11])
  func `a stream that does not have its announced length fails`(length: Int64) async throws {
    let body = RequestBody.stream(
      AsyncStream { stream in
        stream.yield(Data(count: 10))
        stream.finish()
      }, length: length)
    let error = await #expect(throws: RequestError.self) { _ = try await drain(body.open(compressed: false)) }
    #expect(error?.code == .bodyFailed)
  }

  @Test func `a call fails with the error of its body's stream`() async throws {
    struct Broken: Error {}
    let body = RequestBody.stream(AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) })
    let error = await #expect(throws: RequestError.self) { _ = try await drain(body.open(compressed: false)) }
    #expect(error?.code == .bodyFailed)
    #expect(error?.underlying is Broken)
  }

  @Test func `a stream is released when its upload is closed`() async throws {
    let (chunks, source) = AsyncStream.makeStream(of: Data.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    source.onTermination = { _ in end.yield() }
    let upload = try RequestBody.stream(chunks).open(compressed: false)
    source.yield(Data(count: 1))
    source.yield(Data(count: 1))
    if case .reader(let reader) = upload { reader.close() }
    var iterator = ended.makeAsyncIterator()
    await iterator.next()
  }

  /// Returns a file of the greatest possible length, or nil if no available file system allows one.
  private static func endlessFile() -> URL? {
    for folder in [URL(filePath: "/dev/shm"), FileManager.default.temporaryDirectory] {
      let file = folder.appending(path: "errand-\(UUID())")
      guard FileManager.default.createFile(atPath: file.path, contents: nil) else { continue }
      if truncate(file.path, .max) == 0 { return file }
      try? FileManager.default.removeItem(at: file)
    }
    return nil
  }

  @Test func `a form that exceeds the greatest possible length is refused`() throws {
    guard let file = Self.endlessFile() else { return }
    defer { try? FileManager.default.removeItem(at: file) }
    let form = MultipartForm(boundary: "B").file("f", at: file)
    let error = #expect(throws: RequestError.self) {
      _ = try RequestBody.multipart(form).open(compressed: false)
    }
    #expect(error?.code == .fileUnreadable)
    #expect(error?.message.contains("too long") == true)
  }
}
