import ErrandCore
import ErrandCurl
import Foundation
import Programs
import TestSupport
import Testing

/// The HTTP cache with responses of real servers, and of caches in front of one.
@Suite(.timeLimit(.minutes(2))) struct CacheBehindServersTests {
  /// A clock that the test sets ahead.
  private final class Ahead: Sendable {
    private let ahead = Locked(0.0)
    var now: Date { Date() + ahead.withLock { $0 } }
    func advance(by seconds: Double) { ahead.withLock { $0 += seconds } }
  }

  private let clock = Ahead()
  private let folder: TemporaryFolder
  private let client: Client
  private let text = (1...2000).map { "line \($0)\n" }.joined()

  init() throws {
    folder = try TemporaryFolder()
    var configuration = ClientConfiguration()
    configuration.cache = .http(DiskResponseCache(folder: folder.file("cache")))
    configuration.retry = .never
    configuration.date = { [clock] in clock.now }
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func server(_ kind: WebServer.Kind) async throws -> WebServer {
    let server = try await WebServer(kind)
    try server.write(Data(text.utf8), to: "page.html")
    return server
  }

  /// Returns what the cache did in short.
  private func note(_ response: Response) -> String {
    guard let status = response.cacheStatus else { return "none" }
    return [
      status.isHit ? "hit" : nil, status.forward?.rawValue,
      status.forwardStatus.map { "\($0.code)" }, status.isStored ? "stored" : nil,
    ].compactMap(\.self).joined(separator: " ")
  }

  private func get(_ server: WebServer, _ path: String = "/page.html") -> Request { .get(server.url(path)) }

  /// Runs a test with a cache in front of nginx. If it responds with 502, records what it and nginx say about that.
  private func behind(_ kind: WebServer.Kind, _ test: (WebServer) async throws -> Void) async throws {
    let server = try await server(kind)
    do { try await test(server) } catch let error as RequestError where error.status == 502 {
      let page = String(decoding: error.bodyPrefix ?? Data(), as: UTF8.self).suffix(2000)
      Issue.record("\(kind): 502, \(error.fields?["X-Squid-Error"] ?? "no reason")\n\(page)\n\(server.logs)")
      throw error
    }
  }

  // MARK: What all servers have in common

  /// Sends a request. Returns what the cache did, and checks that the body is that of the file.
  private func page(_ request: Request) async throws -> String {
    let response = try await client.send(request)
    #expect(response.text == text, "\(response.cacheStatus?.description ?? "")")
    return note(response)
  }

  /// - Parameter other: What the cache does for the first request that asks for no coding.
  private func checkPage(of server: WebServer, other: String) async throws {
    let plain = get(server).field("Accept-Encoding", "identity")
    var notes: [String] = []
    for request in [get(server), get(server), plain, plain, get(server)] {
      notes.append(try await page(request))
    }
    let head = try await client.send(Request(.head, server.url("/page.html")))
    #expect(head.data.isEmpty && head.fields["ETag"] != nil && note(head) == "hit")
    clock.advance(by: 700)
    for request in [get(server), plain] { notes.append(try await page(request)) }
    #expect(
      notes == ["uri-miss 200 stored", "hit", other, "hit", "hit", "stale 304 stored", "stale 304 stored"])
  }

  private func checkRanges(of server: WebServer) async throws {
    let plain = get(server).field("Accept-Encoding", "identity")
    var notes: [String] = []
    for request in [plain, get(server, "/page.html?coded")] {
      notes.append(try await page(request))
      let part = try await client.send(request.field("Range", "bytes=10-19"))
      #expect(part.status == 206 && part.text == text.prefix(20).suffix(10))
      notes.append(note(part))
      #expect(try await client.send(request).text == text)
    }
    // A coded response is stored decoded, and its ranges come from the server.
    #expect(notes[0...2] == ["uri-miss 200 stored", "hit", "uri-miss 200 stored"])
    #expect(!notes[3].contains("hit"))
  }

  private func checkChanges(of server: WebServer) async throws {
    _ = try await client.send(get(server))
    try server.write(Data("new".utf8), to: "page.html")
    #expect(try await client.send(get(server)).text == text)
    let new = try await client.send(get(server).cached(.revalidate))
    #expect(new.text == "new" && note(new) == "request 200 stored")
    #expect(note(try await client.send(get(server))) == "hit")
    _ = try await client.send(.post(server.url("/page.html"), .text("change")))
    let later = try await client.send(get(server))
    #expect(later.text == "new" && note(later) == "uri-miss 200 stored")
  }

  private func checkLargeFile(of server: WebServer) async throws {
    let data = Data.seeded(5_000_000)
    try server.write(data, to: "large.bin")
    let request = get(server, "/large.bin")
    var notes: [String] = []
    for _ in 0..<2 {
      let response = try await client.stream(request)
      var received = Data()
      for try await chunk in response.chunks { received.append(chunk) }
      #expect(received == data)
      notes.append(note(response))
    }
    #expect(notes == ["uri-miss 200 stored", "hit"])
    try server.write(data + Data([1]), to: "larger.bin")
    notes = []
    for name in ["one", "two"] {
      let file = folder.file(name)
      notes.append(note(try await client.download(get(server, "/larger.bin"), to: file)))
      #expect(try Data(contentsOf: file) == data + Data([1]))
    }
    #expect(notes == ["uri-miss 200 stored", "hit"])
  }

  // MARK: nginx

  // Its weak tag of a coded page matches the file's strong one, so that the stored page serves both.
  @Test func `nginx: variants, validation and HEAD`() async throws {
    try await checkPage(of: server(.nginx), other: "vary-miss 304 stored")
  }

  @Test func `nginx: ranges`() async throws { try await checkRanges(of: server(.nginx)) }

  @Test func `nginx: a changed file, and a POST`() async throws { try await checkChanges(of: server(.nginx)) }

  @Test func `nginx: a large file is stored from a stream and a download`() async throws {
    try await checkLargeFile(of: server(.nginx))
  }

  @Test func `a response that was stored as it was transferred is not delivered as decoded`() async throws {
    let server = try await server(.nginx)
    for path in ["/unvaried/page.html", "/page.html"] {
      let coded = get(server, path).undecoded().field("Accept-Encoding", "gzip")
      for request in [coded, get(server, path), coded, get(server, path).undecoded()] {
        let response = try await client.send(request)
        let isCoded = response.data.starts(with: [0x1F, 0x8B])
        #expect(isCoded || response.text == text)
        #expect(isCoded == (request.options.isUndecoded && response.fields["Content-Encoding"] == "gzip"))
      }
      #expect(try await note(client.send(coded)) == "hit")
    }
  }

  @Test func `a server that is away is replaced, unless its response must be validated`() async throws {
    let server = try await server(.nginx)
    for path in ["/page.html", "/strict/page.html"] { _ = try await client.send(get(server, path)) }
    await server.stop()
    #expect(try await page(get(server)) == "hit")
    clock.advance(by: 700)
    let response = try await client.send(get(server))
    #expect(response.text == text && note(response) == "hit")
    #expect(response.cacheStatus?.detail == "stale, and the server cannot be reached")
    await #expect(throws: RequestError.self) { try await client.send(get(server).cached(.revalidate)) }
    await #expect(throws: RequestError.self) { try await client.send(get(server, "/strict/page.html")) }
  }

  // MARK: Apache

  @Test(.has(.apache)) func `Apache: variants, validation and HEAD`() async throws {
    try await checkPage(of: server(.apache), other: "vary-miss 200 stored")
  }

  @Test(.has(.apache)) func `Apache: ranges`() async throws { try await checkRanges(of: server(.apache)) }

  // It compares without the "-gzip" that it has added to the tag.
  @Test(.has(.apache)) func `Apache: a coded page that is stale is sent again`() async throws {
    let server = try await server(.apache)
    #expect(try await page(get(server)) == "uri-miss 200 stored")
    clock.advance(by: 700)
    #expect(try await page(get(server)) == "stale 200 stored")
  }

  @Test(.has(.apache)) func `Apache: a changed file, and a POST`() async throws {
    try await checkChanges(of: server(.apache))
  }

  @Test(.has(.apache)) func `Apache: a large file is stored from a stream and a download`() async throws {
    try await checkLargeFile(of: server(.apache))
  }

  // MARK: Caches in front of nginx

  private func checkAge(of server: WebServer) async throws {
    let first = try await client.send(get(server, "/old/page.html"))
    let age = try #require(first.fields["Age"].flatMap { Int($0) })
    let ttl = try #require(first.cacheStatus?.timeToLive)
    #expect(age >= 500 && ttl <= .seconds(100) && ttl > .seconds(40), "\(age) \(ttl)")
    clock.advance(by: 40)
    let second = try await client.send(get(server, "/old/page.html"))
    let later = try #require(second.fields["Age"].flatMap { Int($0) })
    #expect(note(second) == "hit" && later >= 540, "\(later) \(second.cacheStatus!)")
    clock.advance(by: 60)
    #expect(try await page(get(server, "/old/page.html")).hasPrefix("stale"))
  }

  private func checkOutage(of server: WebServer) async throws {
    _ = try await client.send(get(server, "/lenient/page.html"))
    await server.stopBack()
    clock.advance(by: 700)
    let behind = try await client.send(get(server, "/lenient/page.html"))
    // The cache in front of nginx has the response as well.
    #expect(behind.text == text && note(behind) == "stale 304 stored")
    await server.stop()
    let away = try await client.send(get(server, "/lenient/page.html"))
    #expect(away.text == text && away.cacheStatus?.detail == "stale, and the server cannot be reached")
  }

  @Test(.has(.varnish)) func `Varnish: variants, validation and HEAD`() async throws {
    try await behind(.varnish) { try await checkPage(of: $0, other: "vary-miss 304 stored") }
  }

  @Test(.has(.varnish)) func `Varnish: ranges`() async throws {
    try await behind(.varnish) { try await checkRanges(of: $0) }
  }

  @Test(.has(.varnish)) func `Varnish: a large file is stored from a stream and a download`() async throws {
    try await behind(.varnish) { try await checkLargeFile(of: $0) }
  }

  @Test(.has(.varnish)) func `Varnish: its age counts`() async throws {
    try await behind(.varnish) { try await checkAge(of: $0) }
  }

  @Test(.has(.varnish)) func `Varnish: an outage of nginx`() async throws {
    try await behind(.varnish) { try await checkOutage(of: $0) }
  }

  @Test(.has(.squid)) func `Squid: variants, validation and HEAD`() async throws {
    try await behind(.squid) { try await checkPage(of: $0, other: "vary-miss 304 stored") }
  }

  @Test(.has(.squid)) func `Squid: ranges`() async throws {
    try await behind(.squid) { try await checkRanges(of: $0) }
  }

  @Test(.has(.squid)) func `Squid: a changed file, and a POST`() async throws {
    try await behind(.squid) { try await checkChanges(of: $0) }
  }

  @Test(.has(.squid)) func `Squid: a large file is stored from a stream and a download`() async throws {
    try await behind(.squid) { try await checkLargeFile(of: $0) }
  }

  @Test(.has(.squid)) func `Squid: its age counts`() async throws {
    try await behind(.squid) { try await checkAge(of: $0) }
  }

  @Test(.has(.squid)) func `Squid: an outage of nginx`() async throws {
    try await behind(.squid) { try await checkOutage(of: $0) }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if the server is not installed.
  fileprivate static func has(_ kind: WebServer.Kind) -> Self {
    .enabled(if: kind.isInstalled, "SKIPPED: \(kind.rawValue) is not installed (scripts/install test)")
  }
}
