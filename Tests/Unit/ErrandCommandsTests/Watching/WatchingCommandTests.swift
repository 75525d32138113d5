import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCommands

@Suite(.timeLimit(.minutes(1))) struct WatchingCommandTests {
  private let server: MockServer
  private let folder: TemporaryFolder

  init() throws {
    server = try MockServer()
    folder = try TemporaryFolder()
  }

  private var url: String { server.url("/x").absoluteString }

  @Test func `a request is recorded in a HAR file and in a trace`() async throws {
    server.on("/x") { _ in .response(fields: ["Content-Type": "text/plain"], body: "hello") }
    let result = try await Tool.run(
      "get", url, "--har", "calls.har", "--trace", "calls.json", in: folder.url)
    #expect(result.text == "hello")
    let har = try String(contentsOf: folder.file("calls.har"), encoding: .utf8)
    #expect(har.contains(#""text":"hello""#))
    #expect(har.contains(#""serverIPAddress":"127.0.0.1""#))
    #expect(har.contains(#""httpVersion":"HTTP/1.1""#))
    let trace = try String(contentsOf: folder.file("calls.json"), encoding: .utf8)
    for step in ["connect", "first byte"] { #expect(trace.contains("\"name\":\"\(step)\"")) }
  }

  @Test func `a recording that cannot be written is reported before anything is sent`() async throws {
    let result = try await Tool.run("get", url, "--har", "no/such/folder.har", in: folder.url)
    #expect(result.code == 6)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["--har", "--trace"]) func `each recording needs a separate file`(option: String)
    async throws
  {
    let result = try await Tool.run("get", url, option, "-", in: folder.url)
    #expect(result.code == 2 && result.error.contains("\(option) needs a file"))
    #expect(server.requests.isEmpty)
  }

  @Test func `a request is shown as a curl command, and not sent`() async throws {
    let result = try await Tool.run("post", url, "--json", #"{"a":1}"#, "--bearer", "secret", "--curl")
    #expect(result.text.hasPrefix("curl \(url) "))
    #expect(result.text.contains("-H 'Authorization: ***'"))
    #expect(!result.text.contains("secret"))
    #expect(server.requests.isEmpty)
  }

  @Test func `JSON is formatted on a terminal, and only there`() async throws {
    server.on("/x") { _ in .response(fields: ["Content-Type": "application/json"], body: #"{"a":[1]}"#) }
    #expect(try await Tool.run("get", url).text == #"{"a":[1]}"#)
    let shown = try await PseudoTerminal.run("get", url)
    #expect(shown.text.contains("\u{1B}[34m\"a\"\u{1B}[0m: [\r\n    \u{1B}[33m1"))
    let raw = try await PseudoTerminal.run("get", url, "--raw")
    #expect(raw.text.contains(#"{"a":[1]}"#))
  }

  @Test func `on a terminal -v shows a waterfall`() async throws {
    server.on("/x") { _ in .response(body: "hello") }
    let shown = try await PseudoTerminal.run("get", url, "-v")
    #expect(shown.text.contains("*  first byte"))
    #expect(shown.text.contains("|"))
    #expect(try await Tool.run("get", url, "-v").error.contains("* queue "))
  }

  @Test(arguments: ["info", "debug"])
  func `an environment variable enables a log on standard error`(level: String) async throws {
    server.on("/x") { _ in .response(body: "hello") }
    let result = try await Tool.shell("ERRAND_LOG=\(level) $errand get '\(url)?token=secret'")
    #expect(result.text == "hello")
    let lines = result.error.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("errand ") })
    #expect(level == "info" ? lines.count == 1 : lines.count > 5)
    #expect(lines.last?.contains("200 OK") == true)
    #expect(!result.error.contains("secret"))
  }

  @Test func `a streamed body is one step of the waterfall`() async throws {
    server.on("/x") { _ in MockResponse.chunked("one", "two").pausing(.milliseconds(50), at: .body(3)) }
    let shown = try await PseudoTerminal.run("get", url, "-v")
    #expect(shown.text.components(separatedBy: "*  receive").count == 2)
  }

  @Test func `a wait before another attempt is shown on a terminal`() async throws {
    server.script(
      "GET", "/x", [.response(status: 503, fields: ["Retry-After": "1"]), .response(body: "hello")])
    let shown = try await PseudoTerminal.run("get", url, "--retry", "2")
    #expect(shown.text.contains("waiting 1 s for Retry-After, attempt 2 of 3"))
    #expect(shown.text.hasSuffix("hello\r\n"))
  }
}
