import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

@testable import ErrandUploads

/// Resumable uploads over real connections.
@Suite(.timeLimit(.minutes(2))) struct UploadsOnSocketsTests {
  private static let content = Data.seeded(3_000_000)

  private static func client(attempts: Int = 3) -> Client {
    var configuration = ClientConfiguration()
    configuration.retry.maxAttempts = attempts
    configuration.retry.backoff = .milliseconds(1)
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  private static func rules(
    _ dialect: UploadServer.Dialect, _ change: (inout UploadServer.Rules) -> Void = { _ in }
  ) -> UploadServer.Rules {
    var rules = UploadServer.Rules()
    rules.dialects = [dialect]
    change(&rules)
    return rules
  }

  /// Uploads the content, and checks that the server has it once.
  @discardableResult
  private func upload(
    _ server: UploadServer, _ resumption: UploadResumption = .automatic, client: Client = client(),
    progress: ProgressHandler? = nil
  ) async throws -> Response {
    let response = try await client.upload(
      .post(server.url, .bytes(Self.content)), resuming: resumption, progress: progress)
    await client.shutdown()
    #expect(server.uploads.count == 1)
    #expect(server.uploads.first?.content == Self.content)
    #expect(server.uploads.first?.isComplete == true)
    return response
  }

  private static let dialects: [UploadServer.Dialect] = [
    .ietf(version: 8), .ietf(version: 7), .ietf(version: 6), .ietf(version: 5), .ietf(version: 3), .tus,
  ]

  @Test func `an upload without interruption is one request`() async throws {
    let server = try UploadServer()
    let response = try await upload(server)
    #expect(response.status == 201 && response.text == "stored")
    #expect(server.server.requests.count == 1)
  }

  @Test func `no request of an upload is sent that its caller forbids`() async throws {
    let server = try UploadServer(Self.rules(.tus))
    let client = Self.client()
    let call = try client.compose(.post(server.url, .bytes(Self.content)))
    let source = try #require(try UploadSource(.bytes(Self.content)))
    let checks = Locked(0)
    let session = UploadSession(
      call, source, .tus, record: nil, date: { Date() }, keep: nil,
      check: {
        checks.withLock { $0 += 1 }
        if checks.withLock({ $0 }) > 1 { throw CancellationError() }
      })
    await #expect(throws: (any Error).self) {
      let result: Result<Response, any Error>
      do { result = .success(try await session.run(attempt: 1)) } catch { result = .failure(error) }
      _ = try await call.end(with: result, attempts: 1)
    }
    #expect(server.server.requests.map(\.method) == [.post])
    #expect(checks.withLock { $0 } == 2)
    await client.shutdown()
  }

  @Test func `a server without support gets one plain request`() async throws {
    let server = try MockServer()
    server.on("POST", "/files") { .response(status: 201, body: "got \($0.body.count)") }
    let client = Self.client()
    let response = try await client.upload(.post(server.url("/files"), .bytes(Self.content)))
    #expect(response.text == "got 3000000")
    #expect(server.requests.count == 1)
    #expect(server.requests[0].body == Self.content)
  }

  @Test(arguments: dialects)
  func `an upload continues at the server's offset`(_ dialect: UploadServer.Dialect) async throws {
    let server = try UploadServer(Self.rules(dialect))
    server.fail(.cut(after: 1_000_000), .cut(after: 500_000), .cut(after: 0))
    let response = try await upload(server)
    #expect(response.status == (dialect == .tus ? 204 : 201))
    #expect(server.receivedBytes < 3_200_000)
  }

  @Test func `progress never goes back to the beginning`() async throws {
    let server = try UploadServer()
    server.fail(.cut(after: 1_000_000), .cut(after: 500_000))
    let reports = Locked<[TransferProgress]>([])
    try await upload(server) { report in reports.withLock { $0.append(report) } }
    let starts = Dictionary(grouping: reports.withLock { $0 }, by: \.attempt).mapValues {
      $0.map(\.sent).min() ?? 0
    }
    #expect(starts[2] == 1_000_000 && starts[3] == 1_500_000)
    #expect(reports.withLock { $0.last?.sent } == 3_000_000)
  }

  @Test func `a file of 64 MiB arrives over a connection that is cut 50 times`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("film.mp4")
    let content = Data.seeded(64 << 20, 7)
    try content.write(to: file)
    let server = try UploadServer()
    var random = SeededRandom(seed: 4)
    // After 50 cuts of 1.3 MB at most, not all bytes have arrived.
    server.fail((0..<50).map { _ in .cut(after: Int.random(in: 1...1_300_000, using: &random)) })
    let client = Self.client()
    let response = try await client.upload(file, to: server.url)
    #expect(response.text == "stored")
    #expect(server.uploads.count == 1)
    #expect(server.uploads.first?.content == content)
    #expect(server.receivedBytes <= Int64(Double(content.count) * 1.03))
    #expect(server.server.requests.count { $0.method == .patch } == 50)
  }

  @Test(arguments: dialects)
  func `a complete upload whose response is lost counts once`(_ dialect: UploadServer.Dialect) async throws {
    let server = try UploadServer(Self.rules(dialect))
    server.fail(.cutBeforeResponse)
    let response = try await upload(server)
    #expect(response.status.isSuccess)
    #expect(server.receivedBytes == 3_000_000)
  }

  @Test(arguments: [UploadServer.Dialect.ietf(version: 8), .tus])
  func `bytes that the server did not store are sent again`(_ dialect: UploadServer.Dialect) async throws {
    let server = try UploadServer(Self.rules(dialect))
    server.fail(.storeOnly(1000), .storeOnly(0), .status(503, retryAfter: 0), .status(423, retryAfter: 0))
    try await upload(server)
  }

  @Test func `an upload continues after the server was silent`() async throws {
    let server = try UploadServer()
    server.fail(.stall(after: 100_000))
    let client = Self.client()
    let response = try await client.upload(
      .post(server.url, .bytes(Self.content)).timeout(.milliseconds(300)))
    #expect(response.text == "stored")
    #expect(server.uploads.map(\.content) == [Self.content])
  }

  @Test func `a busy upload is waited for`() async throws {
    let server = try UploadServer(Self.rules(.ietf(version: 8)) { $0.statusWhenBusy = 423 })
    server.fail(.cut(after: 100_000))
    try await upload(server)
  }

  @Test(arguments: [UploadResumption.ietf, .tus])
  func `requests are divided for a proxy that refuses large ones`(_ resumption: UploadResumption) async throws
  {
    var rules = UploadServer.Rules()
    rules.requestLimit = 1 << 20
    let server = try UploadServer(rules)
    try await upload(server, resumption)
    #expect(server.server.requests.count { $0.method == .patch } >= 3)
  }

  @Test func `the server's limits are kept`() async throws {
    let server = try UploadServer(
      Self.rules(.ietf(version: 8)) { $0.limits = ["max-append-size": 1_000_000, "max-size": 3_000_000] })
    try await upload(server)
    let appends = server.server.requests.filter { $0.method == .patch }
    #expect(appends.allSatisfy { $0.bodyBytes <= 1_000_000 })
    let small = try UploadServer(Self.rules(.ietf(version: 8)) { $0.limits = ["max-size": 2_000_000] })
    let error = await #expect(throws: RequestError.self) {
      try await Self.client().upload(.post(small.url, .bytes(Self.content)), resuming: .ietf)
    }
    #expect(error?.code == .uploadFailed && error?.message.contains("at most 2000000") == true)
  }

  @Test func `an offset beyond the end is a clear error`() async throws {
    let server = try UploadServer()
    server.fail(.cut(after: 100_000))
    server.reportOffsets(5_000_000)
    let error = await #expect(throws: RequestError.self) { try await upload(server) }
    #expect(error?.code == .uploadFailed)
    #expect(error?.description.contains("/files") == true && error?.description.contains("/uploads") == false)
  }

  @Test func `an upload that the server forgot is begun again`() async throws {
    let server = try UploadServer()
    let folder = try TemporaryFolder()
    let resumption = UploadResumption.automatic.kept(in: folder.file("state"))
    server.fail(.cut(after: 1_000_000))
    let request = Request.put(server.url, .bytes(Self.content))
    await #expect(throws: RequestError.self) {
      try await Self.client(attempts: 1).upload(
        request, resuming: resumption)
    }
    server.forget(status: 410)
    try await Self.client().upload(request, resuming: resumption)
    #expect(server.uploads.map(\.content) == [Self.content])
    #expect(server.receivedBytes <= 4_100_000)
  }

  @Test func `another launch continues the upload of the same file`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("film.mp4")
    try Self.content.write(to: file)
    let resumption = UploadResumption.automatic.kept(in: folder.file("state"))
    let server = try UploadServer()
    server.fail(.cut(after: 1_000_000))
    await #expect(throws: RequestError.self) {
      try await Self.client(attempts: 1).upload(file, to: server.url, resuming: resumption)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("state")).count == 1)
    try await Self.client().upload(file, to: server.url, resuming: resumption)
    #expect(server.uploads.map(\.content) == [Self.content])
    // From the start, it would be 4 million. On a busy machine, some bytes of the broken connection come twice.
    #expect(server.receivedBytes < 3_600_000)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("state")).isEmpty)
  }

  @Test func `a changed file is uploaded from its beginning`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("film.mp4")
    try Self.content.write(to: file)
    let resumption = UploadResumption.automatic.kept(in: folder.file("state"))
    let server = try UploadServer()
    server.fail(.cut(after: 1_000_000))
    await #expect(throws: RequestError.self) {
      try await Self.client(attempts: 1).upload(file, to: server.url, resuming: resumption)
    }
    let other = Data.seeded(3_000_000, 9)
    try other.write(to: file)
    try await Self.client().upload(file, to: server.url, resuming: resumption)
    #expect(server.uploads.last?.content == other)
  }

  @Test func `an abandoned upload is removed from the server`() async throws {
    let folder = try TemporaryFolder()
    let resumption = UploadResumption.automatic.kept(in: folder.url)
    let server = try UploadServer()
    server.fail(.cut(after: 1_000_000))
    let request = Request.post(server.url, .bytes(Self.content))
    await #expect(throws: RequestError.self) {
      try await Self.client(attempts: 1).upload(request, resuming: resumption)
    }
    #expect(server.uploads.count == 1)
    #expect(try await Self.client().abandonUpload(request, keptIn: folder.url))
    #expect(server.uploads.isEmpty)
    #expect(try await !Self.client().abandonUpload(request, keptIn: folder.url))
  }

  @Test func `a cancelled upload is removed from the server if that is wanted`() async throws {
    let server = try UploadServer()
    server.fail(.stall(after: 100_000))
    var resumption = UploadResumption.automatic
    resumption.isRemovedWhenCancelled = true
    let client = Self.client()
    let task = Task { [resumption] in
      try await client.upload(.post(server.url, .bytes(Self.content)), resuming: resumption)
    }
    try await waitUntil { server.uploads.first?.offset ?? 0 >= 100_000 }
    task.cancel()
    let error = await #expect(throws: RequestError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    try await waitUntil { server.uploads.isEmpty }
  }

  @Test(arguments: [UploadServer.Dialect.ietf(version: 8), .tus])
  func `a verified upload is checked by the server`(_ dialect: UploadServer.Dialect) async throws {
    let server = try UploadServer(Self.rules(dialect))
    var resumption: UploadResumption = dialect == .tus ? .tus : .automatic
    resumption.isVerified = true
    resumption.maxRequestSize = dialect == .tus ? 1_000_000 : nil
    if dialect == .tus { server.fail(.damage, .cut(after: 1000)) } else { server.fail(.cut(after: 1000)) }
    try await upload(server, resumption)
    if dialect != .tus {
      server.fail(.damage)
      let error = await #expect(throws: RequestError.self) {
        try await Self.client().upload(.post(server.url, .bytes(Self.content)), resuming: resumption)
      }
      #expect(error?.status == 422)
    }
  }

  @Test func `an upload at another origin gets no credentials`() async throws {
    let other = try MockServer()
    other.on("HEAD", "/up/1") { _ in
      .response(status: 204, fields: ["Upload-Offset": "0", "Upload-Complete": "?0"])
    }
    other.on("PATCH", "/up/1") { _ in .response(status: 200, fields: ["Upload-Complete": "?1"], body: "done")
    }
    let server = try MockServer()
    server.on("POST", "/files", at: .head) { [port = other.port] _ in
      .response(status: 503).afterInterim(104, fields: ["Location": "http://127.0.0.1:\(port)/up/1"]).closing(
        at: .end)
    }
    var configuration = ClientConfiguration()
    configuration.fields = ["X-Api-Key": "secret", "Authorization": "Bearer secret"]
    configuration.retry.backoff = .zero
    let client = Client(transport: CurlTransport(), configuration: configuration)
    let response = try await client.upload(
      .post(server.url("/files"), .bytes(Self.content)).field("Cookie", "a=secret"))
    #expect(response.text == "done")
    #expect(other.requests.count == 2)
    for request in other.requests { #expect(!request.fields.contains { $0.value.contains("secret") }) }
  }

  private final class Seen: EventListener {
    let urls = Locked<Set<String>>([])
    let locations = Locked<[String]>([])

    func record(_ event: CallEvent) {
      switch event.kind {
      case .attemptStarted(let request), .redirected(let request): note(request.url)
      case .interim(let response): note(response.fields)
      case .responded(let response), .finished(let response):
        note(response.fields)
        note(response.heldHead.fields)
      case .attemptFailed(let failure), .failed(let failure):
        note(failure.fields)
        note(failure.heldHead?.fields)
      default: break
      }
    }

    private func note(_ url: String) { urls.withLock { _ = $0.insert(url) } }
    private func note(_ fields: HTTPFields?) {
      locations.withLock { $0 += fields?.values(of: "Location") ?? [] }
    }
  }

  @Test(arguments: [UploadServer.Dialect.ietf(version: 8), .tus])
  func `the URL of an upload is shown nowhere`(_ dialect: UploadServer.Dialect) async throws {
    let server = try UploadServer(Self.rules(dialect))
    server.fail(.cut(after: 1000))
    let seen = Seen()
    var configuration = ClientConfiguration()
    configuration.listeners = [seen]
    configuration.retry.backoff = .zero
    let client = Client(transport: CurlTransport(), configuration: configuration)
    try await upload(server, dialect == .tus ? .tus : .automatic, client: client)
    #expect(seen.urls.withLock { $0 } == ["\(server.url)", "http://127.0.0.1:\(server.server.port)/***"])
    let locations = seen.locations.withLock { $0 }
    #expect(!locations.isEmpty && locations.allSatisfy { $0 == "***" })
  }

  @Test func `neither the target of an upload's redirect nor a failure shows its URL`() async throws {
    let server = try MockServer()
    server.on("POST", "/files") { _ in
      .response(status: 201, fields: ["Location": "/up/SECRET", "Tus-Resumable": "1.0.0"])
    }
    server.on("PATCH", "/up/SECRET") { _ in .response(status: 307, fields: ["Location": "/moved/SECRET"]) }
    server.on("PATCH", "/moved/SECRET") { _ in
      .response(
        status: 204, fields: ["Tus-Resumable": "1.0.0", "Upload-Offset": "5", "Location": "/up/SECRET"])
    }
    let seen = Seen()
    var configuration = ClientConfiguration()
    configuration.listeners = [seen]
    configuration.retry = .never
    let client = Client(transport: CurlTransport(), configuration: configuration)
    let error = await #expect(throws: RequestError.self) {
      try await client.upload(.post(server.url("/files"), .bytes(Data("ab".utf8))), resuming: .tus)
    }
    #expect(error?.code == .uploadFailed)
    #expect(error?.fields?.filter { $0.name == "Location" }.map(\.isSecret) == [true])
    #expect(server.requests.contains { $0.path == "/moved/SECRET" })
    #expect(!seen.urls.withLock { $0 }.contains { $0.contains("SECRET") })
    #expect(seen.locations.withLock { $0 }.allSatisfy { $0 == "***" })
  }

  @Test func `a body that cannot be resumed is sent as any request`() async throws {
    let server = try UploadServer()
    let client = Self.client()
    let form = RequestBody.multipart(MultipartForm().field("a", "b"))
    let response = try await client.upload(.post(server.url, form))
    #expect(response.text == "stored")
    #expect(server.uploads.isEmpty)
    let error = await #expect(throws: RequestError.self) {
      try await client.upload(.post(server.url, form), resuming: .ietf)
    }
    #expect(error?.code == .unsupported)
  }

  @Test func `an empty file arrives`() async throws {
    for resumption in [UploadResumption.automatic, .ietf, .tus] {
      let server = try UploadServer()
      try await Self.client().upload(.post(server.url, .bytes(Data())), resuming: resumption)
      #expect(server.uploads.count == 1 && server.uploads.first?.isComplete == true)
    }
  }

  @Test func `a deadline ends an upload`() async throws {
    let server = try UploadServer()
    server.fail(.stall(after: 1000))
    let error = await #expect(throws: RequestError.self) {
      try await Self.client().upload(.post(server.url, .bytes(Self.content)).deadline(.milliseconds(200)))
    }
    #expect(error?.code == .deadlineExceeded)
  }

  /// Takes a minute: ERRAND_LONG=1 runs it.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["ERRAND_LONG"] != nil))
  func `a file of 1 GiB arrives over a connection that is cut 50 times, in little memory`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("film.mp4")
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    let handle = try FileHandle(forWritingTo: file)
    let block = Data.seeded(1 << 20)
    for number in 0..<1024 { try handle.write(contentsOf: block.dropFirst(number) + block.prefix(number)) }
    try handle.close()
    var rules = UploadServer.Rules()
    rules.keepsContent = false
    let server = try UploadServer(rules)
    var random = SeededRandom(seed: 4)
    server.fail((0..<50).map { _ in .cut(after: Int.random(in: 1...21_000_000, using: &random)) })
    let before = Self.peakMemory
    try await Self.client().upload(file, to: server.url)
    print("peak memory \(before) kB before, \(Self.peakMemory) kB after; received \(server.receivedBytes)")
    let digest = try await Program.output(of: "sha256sum", [file.path])
    let own = server.uploads.first?.digest?.map { String(format: "%02x", $0) }.joined() ?? ""
    #expect(String(decoding: digest, as: UTF8.self).hasPrefix(own) && !own.isEmpty)
    #expect(server.receivedBytes <= Int64(Double(1 << 30) * 1.03))
    #expect(server.uploads.count == 1)
  }

  private static var peakMemory: Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
  }

  @Test func `a folder that cannot be created is an error before anything is sent`() async throws {
    let server = try UploadServer()
    let place = try TemporaryFolder()
    let file = place.file("film.mp4")
    try Self.content.write(to: file)
    for folder in [file, file.appending(path: "below")] {
      let client = Self.client()
      let error = await #expect(throws: RequestError.self) {
        try await client.upload(file, to: server.url, resuming: .automatic.kept(in: folder))
      }
      #expect(error?.code == .fileUnwritable)
      #expect(error?.message.contains("NSURL") == false && error?.message.contains(file.path) == true)
    }
    #expect(server.server.requests.isEmpty)
    let client = Self.client()
    _ = try await client.upload(
      file, to: server.url, resuming: .automatic.kept(in: place.file("a").appending(path: "b/c")))
  }

  @Test func `a folder may be behind a link`() async throws {
    let server = try UploadServer()
    let place = try TemporaryFolder()
    let (folder, link) = (place.file("folder"), place.file("link"))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    for kept in [link, link.appending(path: "below")] {
      let client = Self.client()
      _ = try await client.upload(
        .post(server.url, .bytes(Self.content)), resuming: .automatic.kept(in: kept))
    }
    #expect(server.uploads.count == 2)
  }

  // MARK: Secrets

  /// Adds a credential to each request, as users are told to do for an outbox.
  private struct Bearer: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      try await next(request.field("Authorization", "Bearer secret"))
    }
  }

  @Test(arguments: [false, true])
  func `interceptors add nothing to requests to another origin`(_ isAroundCalls: Bool) async throws {
    let (target, other) = (try MockServer(), try MockServer())
    let location = other.url("/up/1").absoluteString
    target.on("POST", "/files") { _ in
      .response(status: 201, fields: ["Location": location, "Tus-Resumable": "1.0.0"])
    }
    other.on("PATCH", "/up/1") { request in
      .response(
        status: 204, fields: ["Tus-Resumable": "1.0.0", "Upload-Offset": "\(request.body.count)"])
    }
    var configuration = ClientConfiguration()
    if isAroundCalls {
      configuration.interceptors = [Bearer()]
    } else {
      configuration.attemptInterceptors = [Bearer()]
    }
    let client = Client(transport: CurlTransport(), configuration: configuration)
    _ = try await client.upload(.post(target.url("/files"), .bytes(Self.content)), resuming: .tus)
    #expect(target.requests[0].fields["Authorization"] == "Bearer secret")
    #expect(other.requests.map(\.body) == [Self.content])
    #expect(!other.requests[0].fields.contains { $0.value.contains("secret") })
  }

  @Test func `no description of the response has the upload's URL`() async throws {
    let server = try UploadServer()
    server.fail(.cut(after: 1000))
    let response = try await upload(server)
    let path = try #require(server.uploads.first?.path)
    #expect(response.url == server.url)
    for text in ["\(response)", String(reflecting: response), "\(response.fields)"] {
      #expect(!text.contains(path))
    }

    let plain = try MockServer()
    plain.on("PUT", "/files") { _ in .response(status: 201, fields: ["Location": "/films/7"]) }
    let client = Self.client()
    let other = try await client.upload(.put(plain.url("/files"), .bytes(Self.content)))
    #expect(other.fields["Location"] == "/films/7" && "\(other.fields)".contains("/films/7"))
  }
}
