import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@testable import ErrandInspector

@Suite(.timeLimit(.minutes(1))) struct InspectorTests {
  private let browser = Client(transport: CurlTransport())

  private func inspected(
    _ limits: Inspector.Limits = Inspector.Limits(), _ handler: @escaping StubTransport.Handler
  ) throws -> (client: Client, inspector: Inspector, url: URL) {
    let client = Client(transport: StubTransport(handler))
    let inspector = Inspector(client, limits: limits)
    return (client, inspector, try inspector.serve())
  }

  private func get(_ url: URL, _ path: String) async throws -> Response {
    try await browser.send(.get(url.appending(path: path)))
  }

  @Test func `the page and its parts are served with a strict policy`() async throws {
    let (_, inspector, url) = try inspected { _ in .response() }
    defer { inspector.stop() }
    for (path, type) in [("", "text/html"), ("page.js", "text/javascript"), ("page.css", "text/css")] {
      let response = try await browser.send(.get("\(url.absoluteString)\(path)"))
      #expect(response.fields["Content-Type"]?.hasPrefix(type) == true)
      #expect(response.fields["Content-Security-Policy"] == InspectorRoutes.policy)
    }
  }

  @Test func `a page hears of calls as they happen, and of nothing secret`() async throws {
    let (client, inspector, url) = try inspected { _ in
      .response(
        fields: ["Content-Type": "application/json", "Set-Cookie": "MARKER"], body: #"{"token":"MARKER"}"#)
    }
    defer { inspector.stop() }
    try await client.send(.get("http://a.test/first"))
    let stream = try await browser.stream(.get(url.appending(path: "events")))
    var text = ""
    for try await chunk in stream.chunks {
      text += String(decoding: chunk, as: UTF8.self)
      if text.contains("event: snapshot"), !text.contains("second") {
        #expect(text.contains("/first"))
        _ = try await client.send(
          .post("http://a.test/second?token=MARKER", .form(["password": "MARKER"])).bearer("MARKER"))
      }
      if text.contains("event: calls"), text.contains("second"), text.contains("\"finished\"") { break }
    }
    #expect(!text.contains("MARKER"))
    let rows = try await get(url, "export").text
    #expect(rows.contains("second"))
    #expect(!rows.contains("MARKER"))
    let har = try await get(url, "calls.har").text
    #expect(har.contains("\"version\":\"1.2\""))
    #expect(!har.contains("MARKER"))
  }

  @Test func `calls and bodies are forgotten beyond the limits`() async throws {
    var limits = Inspector.Limits()
    (limits.calls, limits.bodies, limits.bodyLength) = (10, 3000, 1000)
    let store = Locked(CallStore(limits))
    let listener = StoreListener(store, bodyLimit: 1000)
    var configuration = ClientConfiguration()
    configuration.listeners = [listener]
    let client = Client(
      transport: StubTransport { _ in .response(body: String(repeating: "x", count: 5000)) },
      configuration: configuration)
    for number in 0..<500 { try await client.send(.get("http://a.test/\(number)")) }
    #expect(listener.store.withLock { $0.count } == 10)
    #expect(listener.store.withLock { $0.bytes } <= 3000)
    #expect(listener.store.withLock { $0.calls }.last?.request.url == "http://a.test/499")
    #expect(listener.store.withLock { $0.calls }.filter { $0.received != nil }.count == 3)
    #expect(listener.store.withLock { $0.takeChanges(1000) }.gone.count <= 20)
  }

  @Test func `an action needs the page's own origin, and a request is sent again as it was`() async throws {
    let stub = StubTransport { _ in .response() }
    let client = Client(transport: stub)
    let inspector = Inspector(client)
    let url = try inspector.serve()
    defer { inspector.stop() }
    try await client.send(.post("http://a.test/x", .text("body")).bearer("secret"))
    let origin = "http://127.0.0.1:\(url.port ?? 0)"
    let details = try await get(url, "export").text
    let id = try #require(details.firstMatch(of: /"id":(\d+)/)?.1)
    let action = Request.post(
      url.appending(path: "action"),
      .text("{\"name\":\"resend\",\"call\":\(id)}", contentType: "application/json"))
    await #expect(throws: RequestError.self) { try await browser.send(action) }
    #expect(stub.requests.count == 1)
    _ = try await browser.send(action.field("Origin", origin))
    #expect(stub.requests.count == 2)
    #expect(stub.requests[1].body == Data("body".utf8))
    #expect(stub.requests[1].fields["Authorization"] == "Bearer secret")
  }
}

/// Puts events into a store.
private final class StoreListener: EventListener {
  let store: Locked<CallStore>
  let bodyLimit: Int

  init(_ store: consuming Locked<CallStore>, bodyLimit: Int) {
    self.store = store
    self.bodyLimit = bodyLimit
  }

  func record(_ event: CallEvent) { store.withLock { $0.take(event) } }
}
