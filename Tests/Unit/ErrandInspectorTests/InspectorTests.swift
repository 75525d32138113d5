import ErrandAuthentication
import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
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
    for (path, type) in [
      ("", "text/html"), ("console.js", "text/javascript"), ("filter.js", "text/javascript"),
      ("console.css", "text/css"),
    ] {
      let response = try await browser.send(.get("\(url.absoluteString)\(path)"))
      #expect(response.fields["Content-Type"]?.hasPrefix(type) == true)
      #expect(response.fields["Content-Security-Policy"] == InspectorRoutes.policy)
    }
  }

  @Test func `a page receives calls as they happen, without secrets`() async throws {
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

  @Test func `the body of a rejected response is shown, and counts`() async throws {
    let (client, inspector, url) = try inspected { request in
      .response(
        status: request.index == 0 ? 503 : 400, fields: ["Retry-After": "0"], body: "reason \(request.index)")
    }
    defer { inspector.stop() }
    await #expect(throws: RequestError.self) { try await client.send(.get("http://a.test/x").attempts(2)) }
    let export = try await get(url, "export").text
    #expect(export.contains("\"text\":\"reason 0\""))
    #expect(export.contains("\"text\":\"reason 1\""))
    let har = try await get(url, "calls.har").text
    #expect(har.contains("\"text\":\"reason 0\""))
  }

  @Test func `a shared call shows the response of the other call, and has no entry in the HAR file`()
    async throws
  {
    let stub = StubTransport { _ in .response(fields: ["X-Shared": "yes"], body: "one") }
    let client = Client(transport: stub)
    let inspector = Inspector(client)
    let url = try inspector.serve()
    defer { inspector.stop() }
    let request = Request.get("http://a.test/shared").shared(within: .seconds(60))
    for _ in 0..<3 { try await client.send(request) }
    #expect(stub.requests.count == 1)
    let export = try await get(url, "export").text
    #expect(export.contains("200 OK (shared)"))
    #expect(export.contains(#""shared":{"fields":"#))
    #expect(!export.contains("\"isCached\""))
    let har = try await get(url, "calls.har").text
    #expect(har.ranges(of: #""request":"#).count == 1)
  }

  @Test func `calls and bodies beyond the limits are forgotten`() async throws {
    var limits = Inspector.Limits()
    (limits.calls, limits.bodies, limits.bodyLength) = (10, 3500, 1000)
    let store = Locked(CallStore(limits))
    let listener = StoreListener(store, bodyLimit: 1000)
    var configuration = ClientConfiguration()
    configuration.listeners = [listener]
    let client = Client(
      transport: StubTransport { _ in .response(body: String(repeating: "x", count: 5000)) },
      configuration: configuration)
    for number in 0..<500 { try await client.send(.get("http://a.test/\(number)")) }
    #expect(listener.store.withLock { $0.count } == 10)
    #expect(listener.store.withLock { $0.bytes } <= 3500)
    #expect(listener.store.withLock { $0.calls }.last?.request.url == "http://a.test/499")
    #expect(listener.store.withLock { $0.calls }.filter { $0.received != nil }.count == 3)
    guard case .all(let calls) = listener.store.withLock({ $0.takeChanges(1000) }) else {
      Issue.record("490 removed calls are still held")
      return
    }
    #expect(calls.count == 10)
  }

  @Test func `an action requires the page's own origin, and a request is sent again unchanged`() async throws
  {
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
    try await stub.waitForRequests(2)
    #expect(stub.requests[1].body == Data("body".utf8))
    #expect(stub.requests[1].fields["Authorization"] == "Bearer secret")
  }

  @Test func `a page that sends a request again does not wait for its response`() async throws {
    let stub = StubTransport { $0.index == 0 ? .response() : .stall }
    let client = Client(transport: stub)
    let inspector = Inspector(client)
    let url = try inspector.serve()
    defer { inspector.stop() }
    try await client.send(.get("http://a.test/x"))
    let id = try #require(try await get(url, "export").text.firstMatch(of: /"id":(\d+)/)?.1)
    let body = RequestBody.text("{\"name\":\"resend\",\"call\":\(id)}", contentType: "application/json")
    let action = Request.post(url.appending(path: "action"), body).attempts(1).timeout(.seconds(10))
      .field("Origin", "http://127.0.0.1:\(url.port ?? 0)")
    _ = try await browser.send(action)
    try await stub.waitForRequests(2)
  }

  @Test func `an inspector is served in one place, and forgets the calls when it stops`() async throws {
    let (client, inspector, first) = try inspected { _ in .response() }
    try await client.send(.get("http://a.test/before"))
    let second = try inspector.serve()
    #expect(try await get(second, "export").text.contains("/before"))
    await #expect(throws: RequestError.self) { try await browser.send(.get(first).attempts(1)) }
    inspector.stop()
    let third = try inspector.serve()
    defer { inspector.stop() }
    #expect(try await get(third, "export").text == "[]")
    try await client.send(.get("http://a.test/after"))
    #expect(try await get(third, "export").text.contains("/after"))
  }

  @Test func `a page that opens during a flood shows how each call ends`() async throws {
    let (client, inspector, url) = try inspected { _ in .response() }
    defer { inspector.stop() }
    let sent = Locked(0)
    let flood = Task {
      for number in 0..<3000 {
        try await client.send(.get("http://a.test/\(number)"))
        sent.withLock { $0 = number }
      }
    }
    try await withThrowingTaskGroup { group in
      for page in 0..<20 {
        // The pages open at different times of the flood.
        try await waitUntil { sent.withLock { $0 } > page * 10 }
        let stream = try await browser.stream(.get("\(url.absoluteString)events"))
        group.addTask {
          var page = PageModel()
          for try await chunk in stream.chunks {
            page.take(chunk)
            // Each call ends at once, so a row that still runs after this one's end has missed an event.
            if page.states["/2999"] == "finished", page.statesAfterLast > 3 { break }
          }
          #expect(page.states.filter { $0.value != "finished" }.isEmpty)
        }
      }
      try await group.waitForAll()
    }
    try await flood.value
  }

  @Test func `silent connections do not block the page`() async throws {
    let (_, inspector, url) = try inspected { _ in .response() }
    defer { inspector.stop() }
    var idle: [Int32] = []
    defer { for descriptor in idle { close(descriptor) } }
    for _ in 0..<100 { idle.append(try LoopbackSocket.connected(to: url.port ?? 0)) }
    let response = try await browser.send(.get(url).timeout(.seconds(5)))
    #expect(response.status.code == 200)
  }

  @Test(arguments: [
    ("Host: evil.example:PORT", "403"), ("Host: 127.0.0.1:PORT\r\nOrigin: http://evil.example:PORT", "403"),
    ("Host: 127.0.0.1:PORT\r\nSec-Fetch-Site: cross-site", "403"), ("X-A: b", "403"),
    ("Host: localhost:PORT", "200"),
  ])
  func `a host name that resolves to this machine by DNS rebinding is refused`(fields: String, status: String)
    async throws
  {
    let (_, inspector, url) = try inspected { _ in .response() }
    defer { inspector.stop() }
    let port = "\(url.port ?? 0)"
    let descriptor = try LoopbackSocket.connected(to: url.port ?? 0)
    defer { close(descriptor) }
    let request = "GET \(url.path)/ HTTP/1.1\r\n\(fields.replacing("PORT", with: port))\r\n\r\n"
    let text = Array(request.utf8)
    #expect(write(descriptor, text, text.count) == text.count)
    var room = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &room, room.count)
    #expect(String(decoding: room.prefix(max(0, count)), as: UTF8.self).hasPrefix("HTTP/1.1 \(status)"))
  }

  @Test func `a request that is repeated in one write gets as many responses`() async throws {
    let (_, inspector, url) = try inspected { _ in .response() }
    defer { inspector.stop() }
    let descriptor = try LoopbackSocket.connected(to: url.port ?? 0)
    defer { close(descriptor) }
    let request = "GET \(url.path)/console.css HTTP/1.1\r\nHost: 127.0.0.1:\(url.port ?? 0)\r\n\r\n"
    let text = Array((request + request).utf8)
    #expect(write(descriptor, text, text.count) == text.count)
    var received = Data()
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while received.ranges(of: Data("HTTP/1.1 200".utf8)).count < 2 {
      let count = read(descriptor, &room, room.count)
      try #require(count > 0)
      received.append(contentsOf: room[..<count])
    }
  }
}

/// A page's view of the events that it receives.
private struct PageModel {
  private struct Row: Decodable {
    let id: UInt64
    let url: String
    let state: String
  }

  private var rows: [UInt64: Row] = [:]
  private var buffer = Data()
  /// The number of messages about the client's state since the last call has ended.
  private(set) var statesAfterLast = 0

  var states: [String: String] {
    Dictionary(rows.values.map { (String($0.url.dropFirst("http://a.test".count)), $0.state) }) { $1 }
  }

  mutating func take(_ chunk: Data) {
    buffer.append(chunk)
    while let end = buffer.firstRange(of: Data("\n\n".utf8)) {
      let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).split(separator: "\n")
      buffer = Data(buffer[end.upperBound...])
      guard lines.count == 2 else { continue }
      let data = Data(lines[1].dropFirst("data: ".count).utf8)
      switch lines[0] {
      case "event: snapshot", "event: calls":
        if lines[0] == "event: snapshot" { rows = [:] }
        for row in (try? JSONDecoder().decode([Row].self, from: data)) ?? [] { rows[row.id] = row }
      case "event: gone":
        for id in (try? JSONDecoder().decode([UInt64].self, from: data)) ?? [] { rows[id] = nil }
      default: if states["/2999"] == "finished" { statesAfterLast += 1 }
      }
    }
  }
}
