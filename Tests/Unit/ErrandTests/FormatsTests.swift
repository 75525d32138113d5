import Errand
import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

/// The files of earlier versions, which the present version must read. Tests/Formats has an archive for each version.
///
/// A release whose formats differ from those of the last archive adds another one:
/// `ERRAND_FORMATS=$PWD/Tests/Formats/1.3.tar.gz swift test --filter FormatsTests`.
@Suite(.timeLimit(.minutes(1))) struct FormatsTests {
  private static let formats = URL(filePath: #filePath).appending(path: "../../../Formats")
    .standardizedFileURL
  private static let versions =
    ((try? FileManager.default.contentsOfDirectory(atPath: formats.path)) ?? [])
    .filter { $0.hasSuffix(".tar.gz") }.map { String($0.dropLast(7)) }.sorted()

  @Test(arguments: versions) func `files of an earlier version are read`(version: String) async throws {
    let folder = try TemporaryFolder()
    let archive = Self.formats.appending(path: version + ".tar.gz").path
    try await tar("-xzf", archive, "-C", folder.url.path)
    try await FormatFolder(folder: folder.url).check()
  }

  @Test func `the first version is among them`() { #expect(Self.versions.contains("0.1")) }

  @Test func `files of this version are read`() async throws {
    let folder = try TemporaryFolder()
    try await FormatFolder(folder: folder.url).write()
    if let archive = ProcessInfo.processInfo.environment["ERRAND_FORMATS"] {
      try await tar("-czf", archive, "-C", folder.url.path, ".")
    }
    try await FormatFolder(folder: folder.url).check()
  }

  private func tar(_ arguments: String...) async throws {
    try await Program.output(of: "tar", arguments)
  }
}

/// A folder with a file of each format.
private struct FormatFolder {
  private struct Order: Codable, Equatable {
    var number = 7
    var note = "Zürich, 2 × \"Kaffee\""
  }

  private static let orders = URL(string: "https://api.example.com/orders?page=1")!
  /// A body that an outbox keeps in a separate file.
  private static let large = Data.seeded(100_000, mask: 1)
  private static let news = Request.get("https://api.example.com/news").cached()
  private static let key = Data(0..<32)

  let folder: URL

  private func file(_ name: String) -> URL { folder.appending(path: name) }

  private func outbox(key: Data? = nil, sending transport: StubTransport) async throws -> Outbox {
    var configuration = OutboxConfiguration()
    configuration.reachability = nil
    configuration.key = try key.map { try OutboxKey($0) }
    let folder = file(key == nil ? "outbox" : "sealed-outbox")
    return try await Outbox(at: folder, client: Client(transport: transport), configuration: configuration)
  }

  private func cached(_ transport: StubTransport) -> Client {
    var configuration = ClientConfiguration()
    configuration.cache = .http(DiskResponseCache(folder: file("cache")))
    return Client(transport: transport, configuration: configuration)
  }

  private func session() -> CredentialSession<OAuth2> {
    let tokenURL = URL(string: "https://login.example.com/token")!
    return CredentialSession(OAuth2(tokenURL: tokenURL, clientID: "app"), store: .file(file("credential")))
  }

  // MARK: Writing

  func write() async throws {
    for key in [nil, Self.key] { try await writeRequests(with: key) }

    let cookies = CookieStore(file: file("cookies"))
    try await cookies.set(
      Cookie(
        "theme", "dark", domain: "example.com", isHostOnly: false, expires: Date(timeIntervalSince1970: 4e9)))
    try await cookies.flush()

    let server = StubTransport { _ in
      .response(fields: ["Cache-Control": "max-age=2147483648"], body: "Hello")
    }
    #expect(try await cached(server).send(Self.news).text == "Hello")

    let tokens = OAuth2.Tokens(accessToken: "access", expiry: Date(timeIntervalSince1970: 4e9))
    try await session().signIn(tokens, identity: "ann")
  }

  private func writeRequests(with key: Data?) async throws {
    let outbox = try await outbox(
      key: key, sending: StubTransport { _ in .response(status: 422, body: "No.") })
    let rejected = try await outbox.enqueue(
      .delete("https://api.example.com/orders/6"), id: OutboxID(rawValue: "rejected"))
    _ = try await rejected.outcome()
    try await outbox.pause()
    let order = Request.post(Self.orders, json: Order()).field("X-Shop", "7")
    try await outbox.enqueue(order, lane: "orders/7", id: OutboxID(rawValue: "order"))
    let source = file("source")
    try Self.large.write(to: source)
    try await outbox.enqueue(
      .put("https://files.example.com/a", .file(source)), id: OutboxID(rawValue: "file"))
    try FileManager.default.removeItem(at: source)
    await outbox.close()
  }

  // MARK: Reading

  func check() async throws {
    for key in [nil, Self.key] { try await checkRequests(with: key) }

    #expect(CookieStore(file: file("cookies")).cookies(for: Self.orders).map(\.value) == ["dark"])

    let absent = StubTransport { _ in .fail(.cannotConnect) }
    #expect(try await cached(absent).send(Self.news).text == "Hello")

    let server = StubTransport { request in
      .response(status: request.fields["Authorization"] == "Bearer access" ? 200 : 401)
    }
    var configuration = ClientConfiguration()
    configuration.authentication = Authentication(session(), at: [Self.orders])
    try await Client(transport: server, configuration: configuration).send(.get(Self.orders))
  }

  private func checkRequests(with key: Data?) async throws {
    let server = StubTransport { _ in .response() }
    let outbox = try await outbox(key: key, sending: server)
    let dead = try #require(await outbox.status(of: OutboxID(rawValue: "rejected")))
    #expect(dead.state == .deadLettered)
    #expect(try await outbox.list(OutboxSelection(lane: .named("orders/7"))).map(\.id.rawValue) == ["order"])
    try await outbox.retry(OutboxSelection(ids: [dead.id]), force: true)
    try await outbox.resume()
    try await outbox.waitUntilEmpty()
    await outbox.close()

    var sent: [HTTPMethod: StubRequest] = [:]
    for request in server.requests { sent[request.method] = request }
    #expect(server.requests.count == 3 && sent.count == 3)
    let order = try #require(sent[.post])
    #expect(
      order.url == Self.orders && order.fields["X-Shop"] == "7" && order.fields["Idempotency-Key"] != nil)
    #expect(try JSONDecoder().decode(Order.self, from: order.body) == Order())
    #expect(sent[.put]?.body == Self.large)
    #expect(sent[.delete]?.url.path == "/orders/6")
  }
}
