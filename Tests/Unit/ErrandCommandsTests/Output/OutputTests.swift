import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite struct OutputTests {
  private static let evil = "a\u{1B}[2Jb\u{9B}31m\r\n"

  private func evilServer() throws -> MockServer {
    let server = try MockServer()
    server.on("GET", "/") { _ in .response(fields: ["X-Evil": "\u{1B}[2J"], body: Self.evil) }
    return server
  }

  @Test func `a body is written to a file unchanged, and header fields are always escaped`() async throws {
    let server = try evilServer()
    let result = try await Tool.run("get", "\(server.url("/"))", "-iv")
    #expect(result.text.hasPrefix("HTTP/1.1 200 OK\n") && result.text.hasSuffix("\n\n" + Self.evil))
    #expect(result.text.contains("X-Evil: \\x1b[2J\n"))
    #expect(result.error.contains("< HTTP/1.1 200 OK\n"))
    #expect(result.error.contains("< X-Evil: \\x1b[2J\n"))
    #expect(result.error.contains("* HTTP/1.1, new connection, 1 attempt"))
  }

  @Test func `control characters are shown on a terminal in an escaped form`() async throws {
    let server = try evilServer()
    let (code, text) = try await PseudoTerminal.run("get", "\(server.url("/"))", "-i")
    #expect(code == 0)
    #expect(text.contains("a\\x1b[2Jb\\u{9b}31m\\r\r\n"))
    #expect(text.contains("X-Evil: \\x1b[2J"))
    #expect(!text.contains("\u{1B}"))
  }

  @Test func `a terminal gets a progress bar, and a file does not`() async throws {
    let server = try MockServer()
    let body = Data(count: 400_000)
    server.on("GET", "/film.mp4") { _ in .response(body: body).dripping(40_000, every: .milliseconds(30)) }
    try await TemporaryFolder.using { folder in
      let (code, text) = try await PseudoTerminal.run("download", "\(server.url("/film.mp4"))", in: folder)
      #expect(code == 0)
      #expect(text.contains("\rfilm.mp4  100%  ["))
      #expect(try Data(contentsOf: folder.appendingPathComponent("film.mp4")) == body)
      let result = try await Tool.run("download", "\(server.url("/film.mp4"))", "-o", "film.mp4", in: folder)
      #expect(result.code == 0 && result.error == "" && result.output.isEmpty)
    }
  }

  @Test func `a reader that closes its pipe ends the tool without an error message`() async throws {
    let server = try MockServer()
    let body = Data(repeating: 0x61, count: 5_000_000)
    server.on("GET", "/") { _ in .response(body: body) }
    let result = try await Tool.shell("($errand get \(server.url("/")); echo $? >&2) | head -c 3")
    #expect(result.text == "aaa")
    #expect(result.error == "\(128 + SIGPIPE)\n")
  }

  @Test func `JSON output is one object, for a response and for a failure`() async throws {
    struct Report: Decodable {
      struct Timing: Decodable {
        let total: Double
        let attempts: Int
      }
      struct Failure: Decodable {
        let code: String
        let message: String
        let exit: Int
      }
      let status: Int?
      let fields: [[String]]?
      let body: String?
      let bodyBase64: String?
      let timing: Timing?
      let error: Failure?
    }
    func report(_ url: String) async throws -> (Int32, Report) {
      let result = try await Tool.run("get", url, "--output", "json")
      #expect(result.error == "")
      return (result.code, try JSONDecoder().decode(Report.self, from: result.output))
    }
    let server = try MockServer()
    server.on("GET", "/text") { _ in .response(fields: ["X-A": "1"], body: "hello") }
    server.on("GET", "/bytes") { _ in .response(body: Data([0xFF])) }
    server.on("GET", "/missing") { _ in .response(status: 404, body: "no") }
    let (code, text) = try await report("\(server.url("/text"))")
    #expect(
      code == 0 && text.status == 200 && text.body == "hello" && text.timing?.attempts == 1
        && text.error == nil)
    #expect(text.fields?.contains(["X-A", "1"]) ?? false)
    #expect(try await report("\(server.url("/bytes"))").1.bodyBase64 == "/w==")
    let (refused, missing) = try await report("\(server.url("/missing"))")
    #expect(
      refused == 1 && missing.status == 404 && missing.body == "no" && missing.error?.code == "rejected")
    let (lost, failure) = try await report("http://127.0.0.1:1/")
    #expect(
      lost == 3 && failure.status == nil && failure.error?.code == "cannotConnect" && failure.error?.exit == 3
    )
  }

  @Test func `-v reports retries, and the last error response's body is complete`() async throws {
    let server = try MockServer()
    let body = String(repeating: "busy", count: 50_000)
    server.on("GET", "/") { _ in .response(status: 503, body: body) }
    let result = try await Tool.run("get", "\(server.url("/"))", "--retry", "1", "-v")
    #expect(result.code == 1)
    #expect(result.text == body)
    #expect(server.count("/") == 2)
    #expect(result.error.contains("* attempt 2: GET "))
  }

  @Test func `-v shows the header fields as they are sent, without secrets`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response(body: "ok") }
    let result = try await Tool.run(
      "post", "\(server.url("/"))?token=hush", "-v", "--json", "{}", "-H", "Authorization: Bearer hush", "-H",
      "X-Evil: a\u{1B}[2Jb", "-H", "Referer: http://h/?token=hush")
    #expect(result.code == 2, "a control character in a field is refused")
    let sent = try await Tool.run(
      "post", "\(server.url("/"))?token=hush", "-v", "--json", "{}", "-H", "Authorization: Bearer hush", "-H",
      "X-Plain: a b", "-H", "Referer: http://h/?token=hush")
    #expect(sent.code == 0)
    let shown = sent.error.split(separator: "\n").filter { $0.hasPrefix("> ") }.map { $0.dropFirst(2) }
    #expect(shown.contains("X-Plain: a b") && shown.contains("Content-Type: application/json"))
    #expect(shown.contains("Authorization: ***") && shown.contains("Referer: ***"))
    #expect(!sent.error.contains("hush"))
    let received = try #require(server.requests.first).fields
    #expect(shown.first == "POST /?token=*** HTTP/1.1" && shown.contains("Host: 127.0.0.1:\(server.port)"))
    #expect(
      shown.contains("Content-Length: 2") && sent.error.contains("\n< HTTP/1.1 200")
        || sent.error.contains("\n< 200"))
    for line in shown.dropFirst() where !line.hasSuffix("***") {
      let parts = line.split(separator: ":", maxSplits: 1)
      #expect(received[String(parts[0])] == String(parts[1].dropFirst()), "\(line)")
    }
  }

  @Test func `-v shows each redirect, and the request that is sent to its target`() async throws {
    let server = try MockServer()
    server.on("POST", "/a") { _ in .response(status: 302, fields: ["Location": "/b"], body: "moved") }
    server.on("GET", "/b") { _ in .response(status: 307, fields: ["Location": "/c?key=hush"]) }
    server.on("GET", "/c") { _ in .response(body: "here") }
    let device = try OwnDevice()
    for arguments in [["-v"], ["-v", "-o", device.path]] {
      let url = "\(server.url("/a"))"
      let result = try await Running(Tool.path, ["post", url, "-d", "x"] + arguments).result()
      let lines = result.error.split(separator: "\n").filter { $0.hasPrefix("* ") }
      #expect(lines.first == "* attempt 1: POST \(url)")
      #expect(lines.dropFirst().first == "* 302 Found leads to GET \(server.url("/b"))")
      #expect(
        lines.dropFirst(2).first == "* 307 Temporary Redirect leads to GET \(server.url("/c"))?key=***")
      #expect(result.error.split(separator: "\n").count { $0.hasPrefix("> User-Agent: ") } == 3)
    }
  }

  @Test func `a closed standard output is an error, and no socket gets its descriptor`() async throws {
    let server = try MockServer()
    server.on("GET", "/") { _ in .response(body: "hello") }
    let result = try await Tool.shell("$errand get \(server.url("/")) <&- >&-")
    #expect(result.code == 6)
    #expect(result.error.contains("cannot be written"))
  }

  @Test func `a URL alone is sent as a GET request`() async throws {
    let server = try MockServer()
    server.on("GET", "/x") { _ in .response(body: "hello") }
    #expect(try await Tool.run("localhost:\(server.port)/x").text == "hello")
    let shown = try await Tool.run("127.0.0.1:\(server.port)/x", "-i")
    #expect(shown.text.hasPrefix("HTTP/1.1 200 OK\n") && shown.text.hasSuffix("\n\nhello"))
    #expect(shown.error == "")
  }

  @Test func `help describes the defaults`() async throws {
    let help = try await Tool.run("help", "get").text
    #expect(help.contains("default: 0") && help.contains("default: 10s"))
  }

  @Test func `help and version go to standard output`() async throws {
    #expect(try await Tool.run("--version").text.hasPrefix("errand "))
    #expect(try await Tool.run("help", "exit-codes").text.contains("130"))
    #expect(try await Tool.run("help", "get").code == 0)
  }
}
