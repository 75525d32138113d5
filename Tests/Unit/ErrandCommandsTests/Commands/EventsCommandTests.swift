import ErrandCore
import ErrandTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventsCommandTests {
  @Test func `--timeout ends the wait for a stream that does not begin, and no other wait`() async throws {
    let server = try MockServer()
    server.on("GET", "/silent") { _ in .stall }
    server.on("GET", "/slow") { _ in
      .response(fields: ["Content-Type": "text/event-stream"], body: "data: a\n\ndata: b\n\n")
        .dripping(9, every: .milliseconds(600))
    }
    #expect(try await Tool.run("events", "\(server.url("/silent"))", "--timeout", "300ms").code == 4)
    let slow = try Tool.start("events", "\(server.url("/slow"))", "--timeout", "300ms")
    try await slow.waitForOutput("b\n")
    slow.send(SIGINT)
    let result = try await slow.result()
    #expect(result.code == 130 && !result.error.contains("cancelled"))
  }

  private static let fields: HTTPFields = ["Content-Type": "text/event-stream"]
  private let server: MockServer

  init() throws {
    server = try MockServer()
    server.on("GET", "/news") { request in
      let last = Int(request.fields["Last-Event-ID"] ?? "0") ?? 0
      if last >= 4 { return .response(status: 204) }
      let events = (last + 1...last + 2).map { "event: add\nid: \($0)\ndata: news\ndata: \($0)\n\n" }
      return .response(fields: Self.fields, body: "retry: 10\n\n" + events.joined())
    }
  }

  private var news: String { "\(server.url("/news"))" }

  @Test func `the events of all connections are printed, and each reconnection is reported`() async throws {
    let result = try await Tool.run("events", news)
    #expect(result.code == 0 && result.text == "news\n1\nnews\n2\nnews\n3\nnews\n4\n")
    #expect(result.error.split(separator: "\n").count == 2)
    #expect(result.error.contains("errand: the server closed the stream; connecting again in "))
  }

  @Test func `JSON has one line for each event`() async throws {
    let result = try await Tool.run("events", news, "--output", "json", "--last-id", "2")
    #expect(
      result.code == 0
        && result.text == """
          {"data":"news\\n3","id":"3","type":"add"}
          {"data":"news\\n4","id":"4","type":"add"}

          """
    )
    #expect(server.requests.map { $0.fields["Last-Event-ID"] } == ["2", "4"])
  }

  @Test func `the first event may be the last`() async throws {
    server.on("GET", "/open") { _ in
      .response(fields: Self.fields, body: "data: a\n\ndata: b\n\n").announcing(length: 100).stalling(
        at: .body(18))
    }
    let result = try await Tool.run("events", "\(server.url("/open"))", "--once")
    #expect(result.code == 0 && result.text == "a\n" && result.error.isEmpty)
  }

  @Test func `a body is sent with POST, whose stream ends with its connection`() async throws {
    server.on("POST", "/chat") { request in
      .response(
        fields: Self.fields, body: request.text.split(separator: " ").map { "data: \($0)\n\n" }.joined())
    }
    let result = try await Tool.run("events", "\(server.url("/chat"))", "-d", "why not")
    #expect(result.code == 0 && result.text == "why\nnot\n" && result.error.isEmpty)
  }

  @Test func `a stream that cannot be opened is an error at once, or after the retries`() async throws {
    server.on("GET", "/text") { _ in .response(fields: ["Content-Type": "text/plain"], body: "data: a\n\n") }
    for (path, part) in [("/missing", "404"), ("/text", "text/event-stream was expected")] {
      let result = try await Tool.run("events", "\(server.url(path))")
      #expect(result.code == 1 && result.text.isEmpty && result.error.contains(part))
    }
    server.on("GET", "/busy") { _ in .response(status: 503, fields: ["Retry-After": "0"]) }
    let result = try await Tool.run("events", "\(server.url("/busy"))", "--retry", "1", "--output", "json")
    #expect(result.code == 1 && result.text.contains("\"error\""))
    #expect(server.requests.filter { $0.target == "/busy" }.count == 2)
  }

  @Test func `a deadline ends the stream, and responses cannot be verified`() async throws {
    server.on("GET", "/open") { _ in
      .response(fields: Self.fields, body: "data: a\n\n").announcing(length: 100).stalling(at: .body(9))
    }
    let result = try await Tool.run("events", "\(server.url("/open"))", "--deadline", "300ms")
    #expect(result.code != 0 && result.text == "a\n" && result.error.contains("deadline"))
    #expect(try await Tool.run("events", news, "--verify", "key.pem").code == 2)
  }
}
