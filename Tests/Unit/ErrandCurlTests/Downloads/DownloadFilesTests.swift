import ErrandCurl
import ErrandTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct DownloadFilesTests {
  private let server: MockServer
  private let temporary: TemporaryFolder
  private let file: URL
  private let client: Client

  init() throws {
    server = try MockServer()
    temporary = try TemporaryFolder()
    file = temporary.url.appending(path: "file")
    var configuration = ClientConfiguration()
    configuration.retry = .attempts(1)
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func mode(_ url: URL) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).sorted() }
  }

  private func path(_ name: String) -> String { temporary.url.appending(path: name).path }

  @Test(arguments: [0o600, 0o640, 0o755], [false, true])
  func `a download keeps the permissions of the replaced file`(permissions: Int, resume: Bool) async throws {
    try Data("old".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
    server.on("/") { _ in .response(body: "new") }
    try await client.download(.get(server.url("/")), to: file, resume: resume)
    #expect(try mode(file) == permissions)
    #expect(try names == ["file"])
  }

  @Test func `a new file gets the default permissions of new files`() async throws {
    server.on("/") { _ in .response(body: "new") }
    try await client.download(.get(server.url("/")), to: file)
    let other = temporary.url.appending(path: "other")
    close(open(other.path, O_WRONLY | O_CREAT, 0o666))
    #expect(try mode(file) == mode(other))
    #expect(try names == ["file", "other"])
  }

  @Test(arguments: [false, true])
  func `only the user can read a part and its memo`(resume: Bool) async throws {
    server.on("/") { _ in
      .response(fields: ["ETag": "\"1\""], body: Data(count: 100_000)).stalling(at: .body(50_000))
    }
    let task = Task { try await client.download(.get(server.url("/")), to: file, resume: resume) }
    try await server.waitForRequests(1)
    while try names.count < (resume ? 2 : 1) { await Task.yield() }
    for name in try names { #expect(try mode(temporary.url.appending(path: name)) == 0o600, "\(name)") }
    task.cancel()
    _ = await task.result
  }

  @Test func `a part that is a link to another file is refused, and that file is not changed`() async throws {
    let victim = temporary.url.appending(path: "victim")
    try Data("precious".utf8).write(to: victim)
    server.on("/") { _ in .response(body: "new") }
    for plant in [symlink, link] {
      #expect(plant(victim.path, path(".file.errand-part")) == 0)
      let error = await #expect(throws: RequestError.self) {
        try await client.download(.get(server.url("/")), to: file, resume: true)
      }
      #expect(error?.code == .fileUnwritable)
      #expect(try Data(contentsOf: victim) == Data("precious".utf8))
      unlink(path(".file.errand-part"))
    }
  }

  @Test func `a file is not opened for writing through a link`() throws {
    try temporary.write("precious", to: "victim")
    #expect(symlink(path("victim"), path("link")) == 0)
    #expect(throws: FileError.self) { try FileDescriptor(writing: path("link")) }
    #expect(throws: FileError.self) { try FileDescriptor(private: path("victim")) }
  }

  @Test func `a part that is a pipe does not block a download`() async throws {
    #expect(mkfifo(path(".file.errand-part"), 0o600) == 0)
    server.on("/") { _ in .response(body: "new") }
    let error = await #expect(throws: RequestError.self) {
      try await client.download(.get(server.url("/")), to: file, resume: true)
    }
    #expect(error?.code == .fileUnwritable)
  }

  @Test func `a download removes the parts of dead processes, and no others`() async throws {
    server.on("/") { _ in .response(body: "new") }
    try temporary.write("left", to: ".file.1234.errand-temp")
    try temporary.write("left", to: ".another.5678.errand-temp")
    try temporary.write("to be gone on with", to: ".other.errand-part")
    try temporary.write("a user's own", to: "x.errand-temp")
    try temporary.write("being written", to: ".live.9.errand-temp")
    let live = open(path(".live.9.errand-temp"), O_WRONLY)
    defer { close(live) }
    #expect(flock(live, LOCK_EX | LOCK_NB) == 0)
    try await client.download(.get(server.url("/")), to: file)
    #expect(try names == [".live.9.errand-temp", ".other.errand-part", "file", "x.errand-temp"])
  }

  @Test func `a memo that is too large is not read`() async throws {
    server.on("/") { _ in .response(body: "new") }
    try temporary.write("0", to: ".file.errand-part")
    let memo = open(path(".file.errand-part.json"), O_WRONLY | O_CREAT, 0o600)
    #expect(ftruncate(memo, 1 << 40) == 0)
    close(memo)
    try await client.download(.get(server.url("/")), to: file, resume: true)
    #expect(try Data(contentsOf: file) == Data("new".utf8))
    #expect(try names == ["file"])
  }

  @Test(arguments: [225, 226, 240, 255], [false, true])
  func `a downloaded file may have any name that the file system allows`(length: Int, resume: Bool)
    async throws
  {
    let content = Data("0123456789".utf8)
    server.on("/") { request in
      if request.index == 0 {
        return .file(content, etag: "\"1\"", for: request).closing(at: .body(5))
      }
      return .file(content, etag: "\"1\"", for: request)
    }
    let name = String(repeating: "é", count: length / 2) + String(repeating: "x", count: length % 2)
    let file = temporary.url.appending(path: name)
    let error = await #expect(throws: RequestError.self) {
      try await client.download(.get(server.url("/")), to: file, resume: resume)
    }
    #expect(error?.code == .connectionLost)
    #expect(try names.count == (resume ? 2 : 0))
    try await client.download(.get(server.url("/")), to: file, resume: resume)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, resume ? "bytes=5-" : nil])
    #expect(try Data(contentsOf: file) == content)
    #expect(try names.count == 1)
  }

  @Test func `long names with the same beginning have separate parts`() {
    let folder = temporary.url
    let parts = ["a", "b"].map { end in
      PartFile(of: folder.appending(path: String(repeating: "x", count: 240) + end), resumes: true).path
    }
    #expect(parts[0] != parts[1])
  }

  @Test func `a sweep that finds a new part does not remove it`() async throws {
    try await besideSweeps {
      let part = PartFile(of: file, resumes: false)
      let opened = try part.open()
      #expect(opened.isStill(at: part.path))
      part.remove()
    }
  }

  /// A sweep locks a part to find out whether its writer has died. This sweep waits for the part to appear.
  @Test func `a download waits for a sweep that examines its new part`() async throws {
    let path = Locked("")
    try await beside {
      let path = path.withLock { $0 }
      if let part = try? FileDescriptor(writing: path, mayCreate: false) {
        try? part.lock(against: "a download")
      }
    } _: {
      let part = PartFile(of: file, resumes: false)
      path.withLock { $0 = part.path }
      let opened = try part.open()
      #expect(opened.isStill(at: part.path))
      part.remove()
    }
  }

  @Test func `a sweep that finds a new memo does not remove it`() async throws {
    let head = ResponseHead(status: 200, fields: ["ETag": "\"1\""])
    let content = try #require(PartialContent(url: "http://h/", head: head))
    try await besideSweeps {
      let part = PartFile(of: file, resumes: true)
      part.writeMemo(content)
      #expect(part.readMemo() == content)
      part.removeMemo()
    }
  }

  private func besideSweeps(_ body: () throws -> Void) async throws {
    let folder = temporary.url.path
    try await beside({ DraftSweep.sweep(folder) }, body)
  }

  /// Runs the body many times while another thread acts continuously, because the critical instant is rarely
  /// hit.
  private func beside(_ other: @escaping @Sendable () -> Void, _ body: () throws -> Void) async throws {
    let isDone = Atomic(false)
    let sweeping = Promise<Void>()
    #expect(
      SystemThread.start {
        while !isDone.load(ordering: .relaxed) { other() }
        sweeping.settle(.success(()))
      })
    defer { isDone.store(true, ordering: .relaxed) }
    for _ in 0..<100 {
      for _ in 0..<30 { try body() }
      await Task.yield()
    }
    isDone.store(true, ordering: .relaxed)
    _ = await sweeping.settled()
  }
}
