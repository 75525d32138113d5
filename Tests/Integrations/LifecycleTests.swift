import Errand
import ErrandServiceLifecycle
import ErrandTesting
import Foundation
import Logging
import ServiceLifecycle

private struct Silent: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.critical

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(
    level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
    function: String, line: UInt
  ) {}
}

private let silent = Logger(label: "test") { _ in Silent() }

let lifecycleTests = [
  IntegrationTest("at the graceful shutdown, requests in flight finish, and the outbox keeps the rest") {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "errand-services-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let gate = StubGate()
    let stub = StubTransport { $0.url.path() == "/slow" ? .response(body: "late").behind(gate) : .response() }
    let client = Client(transport: stub)
    let outbox = try await Outbox(at: folder, client: client)
    let server = try Metrics.serve(port: 0, client)
    let group = ServiceGroup(
      services: [server.service(), client.service(), outbox.service()], logger: silent)
    let running = Task { try await group.run() }
    let events = outbox.events
    let slow = client.start(.get("https://a.test/slow"))
    let receipt = try await outbox.enqueue(.post("https://a.test/stored"))
    _ = try await receipt.outcome()
    try await stub.waitForRequests(2)
    await group.triggerGracefulShutdown()
    // The outbox closes, and the client waits for the call.
    for await _ in events {}
    expectEqual(stub.isShutDown, false)
    gate.open()
    expectEqual(try await slow.value.text, "late")
    try await running.value
    expectEqual(stub.isShutDown, true)
    do {
      _ = try await client.send(.get("https://a.test/"))
      expect(false, "a client that is shut down has sent a request")
    } catch {
      expectEqual((error as? RequestError)?.cancellation, .clientShutDown)
    }
    do {
      _ = try await Client().send(.get(server.url).attempts(1))
      expect(false, "the metrics are still served")
    } catch {
      expectEqual((error as? RequestError)?.code, .cannotConnect)
    }
  },
  IntegrationTest("a service that is cancelled cancels the requests in flight") {
    let stub = StubTransport([.stall])
    let client = Client(transport: stub)
    let running = Task { try await client.service(within: .seconds(3600)).run() }
    let call = client.start(.get("https://a.test/"))
    try await stub.waitForRequests()
    running.cancel()
    try await running.value
    if case .failure(let error) = await call.result {
      expectEqual((error as? RequestError)?.cancellation, .clientShutDown)
    } else {
      expect(false, "the call has a response")
    }
  },
  IntegrationTest("a group that is cancelled while it shuts down cancels the requests in flight") {
    let stub = StubTransport([.stall])
    let client = Client(transport: stub)
    let group = ServiceGroup(services: [client.service(within: .seconds(3600))], logger: silent)
    let running = Task { try await group.run() }
    let call = client.start(.get("https://a.test/").timeout(.seconds(3600)))
    try await stub.waitForRequests()
    await group.triggerGracefulShutdown()
    while true {
      let refused = client.start(.get("https://a.test/"))
      if case .failure = refused.outcome { break }
      refused.cancel()
      await Task.yield()
    }
    running.cancel()
    _ = await running.result
    expectEqual((await call.result).isFailure, true)
  },
]

extension Result {
  fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
