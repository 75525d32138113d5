import Errand
import ErrandLogging
import ErrandTesting
import Foundation
import Logging

private struct Entry: Sendable {
  let level: Logger.Level
  let message: String
  let metadata: Logger.Metadata
}

/// Stores messages.
private struct StoringHandler: LogHandler {
  let entries: Collected<Entry>
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(
    level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
    function: String, line: UInt
  ) {
    entries.append(Entry(level: level, message: message.description, metadata: metadata ?? [:]))
  }
}

private func logger(_ level: Logger.Level) -> (Logger, Collected<Entry>) {
  let entries = Collected<Entry>()
  return (Logger(label: "test") { _ in StoringHandler(entries: entries, logLevel: level) }, entries)
}

let loggingTests = [
  IntegrationTest("a call is one message with metadata and without secrets") {
    let (logger, entries) = logger(.info)
    let stub = StubTransport([
      .response(status: 503), .response(body: "hello"), .response(status: 404, body: "no"),
    ])
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .zero
    configuration.listeners.append(.logger(logger))
    let client = Client(transport: stub, configuration: configuration)
    let request = Request.get("https://a.test/x?token=s3cret&q=1").field("Authorization", "s3cret")
    try await client.send(request, in: RequestScope("page"))
    _ = try? await client.send(request)
    expectEqual(entries.values.map(\.level), [.info, .warning])
    guard let first = entries.values.first, let last = entries.values.last else { return }
    expect(first.message.contains("GET https://a.test/x"), first.message)
    expectEqual(first.metadata["http.response.status_code"], "200")
    expectEqual(first.metadata["errand.attempt"], "2")
    expectEqual(first.metadata["errand.scope"], "page")
    expectEqual(last.metadata["http.response.status_code"], "404")
    expectEqual(last.metadata["error.type"], "rejected")
    expect(!"\(entries.values)".contains("s3cret"), "\(entries.values)")
  },
  IntegrationTest("at debug, each step is a message") {
    let (logger, entries) = logger(.debug)
    var configuration = ClientConfiguration()
    configuration.listeners = [LogListener(logger, level: .debug)]
    let client = Client(transport: StubTransport([.response()]), configuration: configuration)
    try await client.send(.get("https://a.test/"))
    expect(entries.values.count > 3, "\(entries.values)")
    expect(entries.values.allSatisfy { $0.level == .debug }, "\(entries.values)")
  },
  IntegrationTest("an outbox logs dead letters and failed attempts") {
    let (logger, entries) = logger(.info)
    let folder = FileManager.default.temporaryDirectory.appending(path: "errand-log-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = Client(transport: StubTransport([.response(status: 400, body: "no")]))
    var configuration = OutboxConfiguration()
    configuration.logStoreFailures(to: logger)
    let outbox = try await Outbox(at: folder, client: client, configuration: configuration)
    let logging = Task { await outbox.log(to: logger) }
    let receipt = try await outbox.enqueue(.post("https://a.test/x", .text("s3cret")), lane: "a")
    _ = try await receipt.outcome()
    configuration.onStoreFailure?(CocoaError(.fileWriteOutOfSpace))
    await outbox.close()
    await logging.value
    let dead = entries.values.first { $0.message.contains("dead letters") }
    expectEqual(dead?.level, .error)
    expectEqual(dead?.metadata["errand.outbox.lane"], "a")
    expectEqual(dead?.metadata["http.response.status_code"], "400")
    expect(entries.values.contains { $0.message.contains("store of the outbox") }, "\(entries.values)")
    expect(!"\(entries.values)".contains("s3cret"), "\(entries.values)")
  },
]
