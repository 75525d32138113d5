import ErrandCore
import ErrandCurl
import ErrandTesting
import ErrandUploads
import Foundation
import TestSupport
import Testing

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
}
