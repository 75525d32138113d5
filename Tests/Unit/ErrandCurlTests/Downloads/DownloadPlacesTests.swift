import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

/// Links, pipes, devices and descriptors as targets of downloads.
@Suite(.timeLimit(.minutes(1))) struct DownloadPlacesTests {
  private static let content = Data.seeded(300_000)

  private let server: MockServer
  private let temporary: TemporaryFolder
  private let client: Client

  init() throws {
    server = try MockServer()
    temporary = try TemporaryFolder()
    var configuration = ClientConfiguration()
    configuration.retry = .attempts(2)
    configuration.retry.backoff = .zero
    client = Client(transport: CurlTransport(), configuration: configuration)
    server.on("/") { .file(Self.content, etag: "\"1\"", for: $0) }
  }

  private var request: Request { .get(server.url("/")) }

  private func isLink(_ name: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: temporary.path(name))) != nil
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).sorted() }
  }

  @Test(arguments: ["folder/file", "file", "none"], [false, true])
  func `a symbolic link is kept, and its target is replaced atomically`(target: String, resumes: Bool)
    async throws
  {
    try FileManager.default.createDirectory(at: temporary.file("folder"), withIntermediateDirectories: false)
    for name in ["folder/file", "file"] { try temporary.write("old", to: name) }
    #expect(symlink(target, temporary.path("link")) == 0)
    let response = try await client.download(request, to: temporary.file("link"), resume: resumes)
    #expect(response.file == temporary.file("link"))
    #expect(isLink("link"))
    #expect(try Data(contentsOf: temporary.file(target)) == Self.content)
    #expect(try names == ["file", "folder", "link"] + (target == "none" ? ["none"] : []))
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path("folder")) == ["file"])
  }

  @Test func `a failed download does not change a link or its target`() async throws {
    try temporary.write("old", to: "file")
    #expect(symlink("file", temporary.path("link")) == 0)
    server.on("/") { _ in .response(body: Self.content).closing(at: .body(1000)) }
    await #expect(throws: RequestError.self) {
      try await client.download(request, to: temporary.file("link"))
    }
    #expect(isLink("link"))
    #expect(try Data(contentsOf: temporary.file("file")) == Data("old".utf8))
    #expect(try names == ["file", "link"])
  }

  @Test func `a folder is refused before anything is sent`() async throws {
    let error = await #expect(throws: RequestError.self) {
      try await client.download(request, to: temporary.url)
    }
    #expect(error?.code == .fileUnwritable)
    #expect(error?.reachedServer == false)
    #expect(server.requests.isEmpty)
  }

  @Test func `a download writes to a device without replacing it`() async throws {
    server.on("/") { _ in .response(body: "text") }
    let device = try OwnDevice()
    try await client.download(request, to: URL(filePath: device.path))
    #expect(device.isDevice)
    #expect(device.written() == "text")
    device.hangUp()
    let error = await #expect(throws: RequestError.self) {
      try await client.download(request, to: URL(filePath: device.path))
    }
    #expect(error?.code == .fileUnwritable)
  }

  @Test func `a named pipe receives the whole file once, even if the first attempt failed`() async throws {
    server.on("/") { request in
      let response = MockResponse.file(Self.content, etag: "\"1\"", for: request)
      return request.index == 0 ? response.closing(at: .body(100_000)) : response
    }
    let path = temporary.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let read = Promise<Data>()
    #expect(
      SystemThread.start {
        read.settle(Result { try FileDescriptor.contents(of: path, limit: 1 << 20) })
      })
    try await client.download(request, to: URL(filePath: path))
    #expect(try await read.settled().get() == Self.content)
    #expect(try names == ["pipe"])
  }

  @Test func `a pipe whose reader closes ends the download, and not the process`() async throws {
    let path = temporary.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(
      SystemThread.start {
        let raw = open(path, O_RDONLY)
        var byte: UInt8 = 0
        _ = read(raw, &byte, 1)
        close(raw)
      })
    let error = await #expect(throws: RequestError.self) {
      try await client.download(request, to: URL(filePath: path))
    }
    #expect(error?.code == .fileUnwritable)
  }

  @Test func `a download that waits for the reader of a pipe can be cancelled`() async throws {
    let path = temporary.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let task = Task { try await client.download(request, to: URL(filePath: path)) }
    try await server.waitForRequests(1)
    task.cancel()
    guard case .failure(let error) = await task.result else {
      return #expect(Bool(false), "it was delivered")
    }
    #expect(error.isCancellation)
  }

  @Test func `a download writes to a descriptor at its current position`() async throws {
    let raw = open(temporary.path("file"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(raw) }
    #expect(write(raw, "before", 6) == 6)
    try await client.download(request, to: URL(filePath: "/dev/fd/\(raw)"))
    #expect(write(raw, "after", 5) == 5)
    #expect(
      try Data(contentsOf: temporary.file("file")) == Data("before".utf8) + Self.content + Data("after".utf8))
    #expect(try names == ["file"])
  }
}
