import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCommands

/// What users of curl and HTTPie expect of the command line.
@Suite(.timeLimit(.minutes(1))) struct CurlAndHTTPieTests {
  private func run(_ arguments: [String], in folder: TemporaryFolder) async throws -> Tool.Result {
    try await Running(Tool.path, arguments, in: folder.url).result()
  }

  @Test func `a session keeps fields, login and cookies for one origin`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(fields: ["Set-Cookie": "a=1"]) }
    let folder = try TemporaryFolder()
    let url = "\(server.url("/"))"
    _ = try await run(
      ["--session", "s", "-u", "ann:secret", "-H", "X-A: b", "-H", "Content-Type: x", url], in: folder)
    _ = try await run(["--session", "s", url], in: folder)
    let fields = try #require(server.requests.last).fields
    #expect(fields["X-A"] == "b" && fields["Content-Type"] == nil)
    #expect(fields["Authorization"] == "Basic \(Data("ann:secret".utf8).base64EncodedString())")
    #expect(fields["Cookie"] == "a=1")
    for name in ["s", "s.cookies"] {
      #expect(FileDescriptor.permissions(of: folder.path(name)).map { $0 & 0o777 } == 0o600)
    }
    let other = try await run(["--session", "s", "http://localhost:\(server.port)/"], in: folder)
    #expect(other.code == 2 && other.error.contains("is for http://127.0.0.1:\(server.port)"))
    #expect(!other.error.contains("secret") && server.requests.count == 2)
  }

  @Test func `a file that is not a session is not changed`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("{\"mine\": true}", to: "s")
    let result = try await run(["--session", "s", "http://127.0.0.1:1/"], in: folder)
    #expect(result.code == 2)
    #expect(try String(contentsOf: folder.file("s"), encoding: .utf8) == "{\"mine\": true}")
  }

  @Test(arguments: [
    ["URL/a?b=c"], ["-d", "a=1", "URL/"], ["URL/", "a=b", "X-A:c"], ["-I", "URL/"], ["post", "URL/"],
    ["delete", "URL/"],
    ["-H", "Accept:", "-H", "User-Agent:", "URL/"], ["-A", "me", "-b", "a=1", "URL/"], ["-T", "f", "URL/"],
    ["-H", "Range: bytes=0-1", "URL/"], ["put", "URL/", "--json", "[1]"], ["URL"],
  ])
  func `--offline prints what would be sent`(arguments: [String]) async throws {
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let folder = try TemporaryFolder()
    try folder.write("content", to: "f")
    let given = arguments.map { $0.replacing("URL", with: "http://127.0.0.1:\(server.port)") }
    let offline = try await run(given + ["--offline"], in: folder)
    #expect(offline.code == 0 && server.requests.isEmpty, "\(offline.error)")
    _ = try await run(given, in: folder)
    let request = try #require(server.requests.first)
    let lines =
      ["\(request.method) \(request.target) HTTP/1.1"]
      + request.fields.map { $0.name == "Cookie" ? "Cookie: ***" : "\($0.name): \($0.value)" }
    #expect(offline.text == lines.joined(separator: "\n") + "\n\n" + request.text)
  }

  @Test func `--print shows the parts that it names`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(fields: ["X-A": "b"], body: "answer") }
    let folder = try TemporaryFolder()
    let url = "\(server.url("/"))"
    #expect(try await run(["--print", "b", url], in: folder).text == "answer")
    #expect(try await run(["--print", "B", "-d", "sent", url], in: folder).text == "sent\n\n")
    let heads = try await run(["--print", "Hh", "-d", "sent", url], in: folder).text
    #expect(heads.hasPrefix("POST / HTTP/1.1\n") && heads.contains("\nX-A: b\n"))
    #expect(!heads.contains("sent") && !heads.contains("answer"))
  }

  @Test func `-w prints values after the response, and after a failure`() async throws {
    let server = try MockServer()
    server.on("GET", "/missing") { _ in .response(status: 404) }
    server.otherwise { _ in .response(fields: ["Content-Type": "text/plain"], body: "body") }
    let folder = try TemporaryFolder()
    let url = "\(server.url("/x"))"
    let format =
      "\\n%{http_code} %{size_download} %{content_type} %header{content-type} %{url_effective} 100%%\\t|"
    #expect(
      try await run(["-w", format, url], in: folder).text
        == "body\n200 4 text/plain text/plain \(url) 100%\t|")
    let missing = try await run(["-w", "%{http_code} %{exitcode}", "\(server.url("/missing"))"], in: folder)
    #expect(missing.text == "404 1" && missing.code == 1)
    let dead = try await run(["-w", "%{http_code} %{exitcode}", "http://127.0.0.1:1/"], in: folder)
    #expect(dead.text == "000 3" && dead.code == 3)
  }

  @Test func `a redirect that is asked for is a success`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(status: 302, fields: ["Location": "/x"], body: "moved") }
    let folder = try TemporaryFolder()
    let result = try await run(["--no-redirects", "\(server.url("/"))"], in: folder)
    #expect(result.code == 0 && result.text == "moved" && result.error == "")
  }

  @Test func `-O takes the name from the response, and replaces no file`() async throws {
    let server = try MockServer()
    server.otherwise { _ in
      .response(
        fields: ["Content-Disposition": "attachment; filename=\"../../etc/re port.txt\""], body: "new")
    }
    let folder = try TemporaryFolder()
    #expect(try await run(["-O", "\(server.url("/a"))"], in: folder).code == 0)
    #expect(try String(contentsOf: folder.file("re port.txt"), encoding: .utf8) == "new")
    #expect(!FileManager.default.fileExists(atPath: folder.path("a")))
    try folder.write("old", to: "re port.txt")
    let second = try await run(["-O", "\(server.url("/a"))"], in: folder)
    #expect(second.code == 0 && second.error.contains("already exists and was not changed"))
    #expect(try String(contentsOf: folder.file("re port.txt"), encoding: .utf8) == "old")
    #expect(try String(contentsOf: folder.file("a"), encoding: .utf8) == "new")
  }

  @Test(arguments: [
    ("attachment; filename=a.txt", "a.txt"), ("attachment; filename=\"a \\\"b\\\".txt\"", "a \"b\".txt"),
    ("attachment; filename=a; filename*=UTF-8''%E2%82%AC.txt", "€.txt"), ("inline", nil),
    ("attachment; filename=\"\"", nil),
    ("attachment; filename=\".profile\"", nil), ("attachment; filename=\"C:\\\\x\\\\y.txt\"", "y.txt"),
    ("attachment; filename=\"a;b.txt\"; size=3", "a;b.txt"), ("attachment; filename=\"..\"", nil),
    ("attachment; filename=\"a\u{1B}b\"", nil), ("attachment; filename", nil), (";;=;", nil),
  ])
  func `a name in Content-Disposition is safe or not used`(text: String, name: String?) {
    #expect(FileTarget.name(inDisposition: text) == name)
  }

  @Test func `several URLs are got in order, and with -Z at once`() async throws {
    let server = try MockServer()
    server.otherwise { .response(body: $0.path) }
    let folder = try TemporaryFolder()
    let urls = ["\(server.url("/a"))", "\(server.url("/b"))"]
    #expect(try await run(urls, in: folder).text == "/a/b")
    #expect(server.connections.count == 1)
    #expect(try await run(["-O", "-Z"] + urls, in: folder).code == 0)
    for name in ["a", "b"] {
      #expect(try String(contentsOf: folder.file(name), encoding: .utf8) == "/\(name)")
    }
    #expect(try await run(["http://127.0.0.1:1/"] + urls, in: folder).code == 3)
  }

  @Test func `what is piped to post is its body, and nothing is none`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let url = "\(server.url("/"))"
    _ = try await Tool.shell("printf '{\"a\":1}' | $errand post '\(url)'")
    _ = try await Tool.shell("printf text | $errand put '\(url)'")
    _ = try await Tool.shell("printf '' | $errand post '\(url)'")
    _ = try await Tool.shell("printf text | $errand get '\(url)'")
    _ = try await Tool.shell("printf text | $errand post '\(url)' a=b")
    #expect(server.requests.map(\.text) == ["{\"a\":1}", "text", "", "", "{\"a\": \"b\"}"])
    #expect(
      server.requests.map { $0.fields["Content-Type"] }
        == ["application/json", "application/octet-stream", nil, nil, "application/json"])
  }

  @Test func `binary data is not written to a terminal`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(body: Data([0, 1, 2, 255])) }
    let shown = try await PseudoTerminal.run("\(server.url("/"))").text
    #expect(shown.contains("(4 bytes of binary data; to write them to a file: -o FILE)"))
  }
}
