import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCommands

@Suite(.timeLimit(.minutes(2))) struct InspectCommandTests {
  private let server: MockServer
  private var url: String { server.url("/x").absoluteString }

  init() throws {
    server = try MockServer()
    server.on("/x") { _ in .response(fields: ["Content-Type": "text/plain"], body: "hello") }
  }

  /// Returns the URL of the page that the tool has printed.
  private func page(_ error: String) throws -> URL {
    let line = try #require(error.split(separator: "\n").first { $0.hasPrefix("Inspector: ") })
    return try #require(URL(string: String(line.dropFirst("Inspector: ".count))))
  }

  @Test func `a command's calls are shown on a page, which stays until control-C`() async throws {
    let running = try Tool.start("inspect", "--", "get", url)
    try await running.waitForError("the page stays")
    let page = try page(try running.errorSoFar())
    let rows = try await Tool.run("get", page.appending(path: "export").absoluteString)
    #expect(rows.text.contains(url))
    #expect(rows.text.contains("hello"))
    running.send(SIGINT)
    let result = try await running.result()
    #expect(result.code == 0)
    #expect(result.text == "hello")
  }

  @Test func `the name of the tool before the command is skipped`() async throws {
    let running = try Tool.start("inspect", "--", "errand", "get", url)
    try await running.waitForError("ended with exit code 0")
    running.send(SIGINT)
    #expect(try await running.result().text == "hello")
  }

  @Test func `an outbox that is being delivered is shown on the page, too`() async throws {
    try await TemporaryFolder.using { folder in
      server.on("POST", "/x") { _ in .response() }
      let stored = try await Tool.run(
        "post", url, "--guaranteed", "--detach", "--store", "box", in: folder)
      #expect(stored.code == 0)
      let running = try Tool.start(
        "inspect", "--", "outbox", "run", "--until-empty", "--store", "box", in: folder)
      try await running.waitForError("ended with exit code 0")
      let page = try page(try running.errorSoFar())
      let rows = try await Tool.run("get", page.appending(path: "export").absoluteString)
      #expect(rows.text.contains(#""method":"POST""#))
      running.send(SIGINT)
      _ = try await running.result()
    }
  }

  @Test func `an outbox is served without its program, and the page's buttons work`() async throws {
    try await TemporaryFolder.using { folder in
      _ = try await Tool.run("post", url, "--guaranteed", "--detach", "--store", "box", in: folder)
      let running = try Tool.start("outbox", "serve", "--store", "box", in: folder)
      try await running.waitForOutput("/\n")
      let line = try running.outputSoFar().split(separator: "\n").first
      let page = try #require(URL(string: String(line ?? "")))
      let origin = "Origin: http://127.0.0.1:\(page.port ?? 0)"
      let pressed = try await Tool.run(
        "post", page.appending(path: "action").absoluteString, "--json", #"{"name":"pause"}"#, "-H", origin)
      #expect(pressed.text == #"{"done":true}"#)
      #expect(try await Tool.run("outbox", "stats", "--store", "box", in: folder).text.contains("paused"))
      // Without the page's own origin, or with a guessed token, nothing is done.
      let foreign = try await Tool.run(
        "post", page.appending(path: "action").absoluteString, "--json", #"{"name":"resume"}"#, "-H",
        "Origin: http://evil.example")
      #expect(foreign.code != 0)
      let guessed = "http://127.0.0.1:\(page.port ?? 0)/\(String(repeating: "0", count: 32))/"
      #expect(try await Tool.run("get", guessed).code != 0)
      running.send(SIGINT)
      #expect(try await running.result().code == 0)
    }
  }

  @Test(arguments: [
    ["inspect"], ["inspect", "--"], ["inspect", "--", "gte"], ["inspect", "--", "inspect"],
  ])
  func `nothing is served if the command does not exist`(arguments: [String]) {
    #expect(throws: UsageError.self) { try Invocation(arguments) }
  }

  @Test func `a command without calls ends at once`() async throws {
    let result = try await Tool.run("inspect", "--", "version")
    #expect(result.code == 0)
    #expect(!result.error.contains("Inspector"))
  }
}
