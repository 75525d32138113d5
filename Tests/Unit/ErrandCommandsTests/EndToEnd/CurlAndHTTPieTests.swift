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
      [
        "--session", "s", "-u", "ann:secret", "-H", "X-A: b", "-H", "Content-Type: x", "-H",
        "Idempotency-Key: 1", url,
      ], in: folder)
    _ = try await run(["--session", "s", url], in: folder)
    let fields = try #require(server.requests.last).fields
    #expect(fields["X-A"] == "b" && fields["Content-Type"] == nil && fields["Idempotency-Key"] == nil)
    #expect(fields["Authorization"] == "Basic \(Data("ann:secret".utf8).base64EncodedString())")
    #expect(fields["Cookie"] == "a=1")
    for name in ["s", "s.cookies"] {
      #expect(FileDescriptor.permissions(of: folder.path(name)).map { $0 & 0o777 } == 0o600)
    }
    let other = try await run(["--session", "s", "http://localhost:\(server.port)/"], in: folder)
    #expect(other.code == 2 && other.error.contains("is for http://127.0.0.1:\(server.port)"))
    #expect(!other.error.contains("secret") && server.requests.count == 2)
  }

  @Test func `a session keeps one login, the last one`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let folder = try TemporaryFolder()
    try folder.write("from-a-file", to: "token")
    let url = "\(server.url("/"))"
    for login in [
      ["-H", "Authorization: Custom 1"], ["-u", "ann:s3cret"], [], ["--bearer", "@token"], [],
    ] {
      #expect(try await run(["--session", "s", url] + login, in: folder).code == 0)
    }
    let basic = "Basic \(Data("ann:s3cret".utf8).base64EncodedString())"
    #expect(
      server.requests.map { $0.fields.values(of: "Authorization") }
        == [["Custom 1"], [basic], [basic], ["Bearer from-a-file"], []])
    #expect(try !String(contentsOf: folder.file("s"), encoding: .utf8).contains("s3cret"))
  }

  @Test func `a certificate that is not checked is named once for all URLs`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let result = try await run(["-k", "\(server.url("/a"))", "\(server.url("/b"))"], in: TemporaryFolder())
    #expect(result.error.ranges(of: "warning: -k accepts any certificate").count == 1)
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
    _ = try await Tool.shell("printf text | $errand POST '\(url)'")
    _ = try await Tool.shell("printf text | $errand -X PUT '\(url)'")
    _ = try await Tool.shell("printf text | $errand '\(url)'")
    #expect(
      server.requests.map(\.text) == ["{\"a\":1}", "text", "", "", "{\"a\": \"b\"}", "text", "text", ""])
    #expect(
      server.requests.map { $0.fields["Content-Type"] } == [
        "application/json", "application/octet-stream", nil, nil, "application/json",
        "application/octet-stream", "application/octet-stream", nil,
      ])
    let several = try await Tool.shell("printf text | $errand -X POST '\(url)' '\(url)'")
    #expect(several.code == 2 && server.requests.count == 8)
  }

  @Test func `a pipe without data is reported after a while`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let result = try await Tool.shell("(sleep 2.5; printf text) | $errand post \(server.url("/"))")
    #expect(result.error == "errand: waiting for standard input; --ignore-stdin sends no body\n")
    #expect(server.requests.map(\.text) == ["text"])
  }

  @Test func `the head goes to standard output, before the body`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(fields: ["X-A": "b"], body: "body") }
    let folder = try TemporaryFolder()
    let url = "\(server.url("/"))"
    for arguments in [
      ["-i", url], ["-I", url], ["head", url], ["-i", "-o", "f", url], ["--print", "h", "-I", url],
    ] {
      let result = try await run(arguments, in: folder)
      #expect(result.text.hasPrefix("HTTP/1.1 200 OK\n") && result.text.contains("\nX-A: b\n"))
      #expect(result.text.hasSuffix("\n\n" + (arguments == ["-i", url] ? "body" : "")))
      #expect(result.text.matches(of: /X-A/).count == 1 && result.error == "")
    }
    #expect(try await run(["-I", "--output", "json", url], in: folder).text.hasPrefix("{"))
    server.on("GET", "/missing") { _ in .response(status: 404, fields: ["X-A": "b"], body: "no") }
    let missing = try await run(["-i", "-o", "f", "\(server.url("/missing"))"], in: folder)
    #expect(missing.text.hasPrefix("HTTP/1.1 404 Not Found\n") && !missing.text.contains("no\n"))
  }

  @Test func `-s shows nothing on a terminal`() async throws {
    let server = try MockServer()
    let body = Data(count: 400_000)
    server.otherwise { _ in .response(body: body).dripping(40_000, every: .milliseconds(10)) }
    let folder = try TemporaryFolder()
    let shown = try await PseudoTerminal.run("-s", "-o", "f", "\(server.url("/"))", in: folder.url)
    #expect(shown.text == "" && shown.code == 0)
  }

  @Test func `-w is escaped on a terminal, and may be in a file`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(fields: ["X-B": "\u{1B}[2J"]) }
    let folder = try TemporaryFolder()
    try folder.write("%{http_code}\\n\n%header{x-b}", to: "w")
    let url = "\(server.url("/"))"
    #expect(try await run(["-w", "@w", url], in: folder).text == "200\n\u{1B}[2J")
    let shown = try await PseudoTerminal.run("-w", "@w", url, in: folder.url).text
    #expect(shown == "200\r\n\\x1b[2J")
  }

  @Test func `the cookies of -b and of a file are sent together, and only -b's to its origin`() async throws {
    let server = try MockServer()
    server.on("GET", "/away") { _ in .redirect(302, to: "http://localhost:\(server.port)/") }
    server.otherwise { _ in .response(fields: ["Set-Cookie": "a=1", "Set-Cookie": "b=2"]) }
    let folder = try TemporaryFolder()
    let url = "\(server.url("/"))"
    for option in ["--cookies", "--session"] {
      _ = try await run([option, "jar\(option)", url], in: folder)
      _ = try await run([option, "jar\(option)", "-b", "k=v; b=3", url], in: folder)
      #expect(server.requests.last?.fields["Cookie"] == "k=v; b=3; a=1")
      #expect(server.requests.last?.fields.values(of: "Cookie").count == 1)
      _ = try await run([option, "jar\(option)", url], in: folder)
      #expect(server.requests.last?.fields["Cookie"] == "a=1; b=2")
      _ = try await run([option, "jar\(option)", "-b", "k=v", "\(server.url("/away"))"], in: folder)
      #expect(server.requests.last?.fields["Cookie"] == nil)
    }
  }

  @Test func `commands at once with one session lose nothing`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let folder = try TemporaryFolder()
    let line = (1...8).map { "$errand --session s \(server.url("/")) X-F\($0):1 &" }.joined(separator: " ")
    _ = try await Tool.shell("\(line) wait", in: folder.url)
    _ = try await run(["--session", "s", "\(server.url("/"))"], in: folder)
    let fields = try #require(server.requests.last).fields
    #expect((1...8).allSatisfy { fields["X-F\($0)"] == "1" })
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: folder.url.path)).isSubset(of: [
        "s", "s.cookies",
      ]))
  }

  @Test func `--offline and --curl change no session`() async throws {
    let folder = try TemporaryFolder()
    for option in ["--offline", "--curl"] {
      let result = try await run(
        ["--session", "s", "-u", "me:pw", "--har", "h", option, "http://127.0.0.1:9/"], in: folder)
      #expect(result.code == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }
    let missing = try await run(["--session", "none/s", "http://127.0.0.1:9/"], in: folder)
    #expect(
      missing.code == 6
        && missing.error == "errand: cannot open \(folder.path("none")): No such file or directory\n")
  }

  @Test func `-H 'Content-Type:' removes the type of every body`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let folder = try TemporaryFolder()
    try folder.write("{}", to: "f.json")
    for body in [
      ["-d", "a"], ["-d", "@f.json"], ["--json", "{}"], ["--form", "a=b"], ["-F", "a=b"], ["a=b"],
    ] {
      let result = try await run(
        ["-X", "POST", "\(server.url("/"))", "-H", "Content-Type:"] + body, in: folder)
      #expect(result.code == 0 && server.requests.last?.fields["Content-Type"] == nil)
      #expect(server.requests.last?.body.isEmpty == false)
    }
  }

  @Test func `a form has its parts in order, with the text of files`() async throws {
    let server = try MockServer()
    server.otherwise { .response(body: $0.text) }
    let folder = try TemporaryFolder()
    try folder.write("file text", to: "t")
    let text = try await run(
      [
        "\(server.url("/"))", "-F", "a=<t", "-F", "b=@t;filename=\"x y\"", "-F", "c=[];type=application/json",
      ],
      in: folder
    ).text
    let parts = text.split(separator: "--errand-").dropLast().map {
      $0.split(separator: "\r\n").dropFirst().joined(separator: "|")
    }
    #expect(
      parts == [
        #"Content-Disposition: form-data; name="a"|file text"#,
        #"Content-Disposition: form-data; name="b"; filename="x y"|Content-Type: application/octet-stream|file text"#,
        #"Content-Disposition: form-data; name="c"|Content-Type: application/json|[]"#,
      ])
  }

  @Test func `the end of a terminal ends the command, unless it is ignored`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(body: "whole").stalling(at: .body(2)) }
    let folder = try TemporaryFolder()
    let running = try Running(Tool.path, ["-o", "f", "\(server.url("/"))"], in: folder.url)
    try await server.waitForRequests(1)
    running.send(SIGHUP)
    #expect(try await running.result().code == 129)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    let line = "trap '' HUP; exec $errand \(server.url("/"))"
    let kept = try Running("/bin/sh", ["-c", line])
    try await kept.waitForOutput("wh")
    kept.send(SIGHUP)
    kept.send(SIGINT)
    #expect(try await kept.result().code == 130)
  }

  @Test func `a config with a password that others can read is reported`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let folder = try TemporaryFolder()
    try folder.write("-u a:pw", to: "config")
    let line = "ERRAND_CONFIG=config $errand \(server.url("/"))"
    let open = try await Tool.shell("chmod 644 config; \(line)", in: folder.url)
    #expect(
      open.error == "errand: warning: other users can read the passwords in config; run chmod 600 on it\n")
    #expect(try await Tool.shell("chmod 600 config; \(line)", in: folder.url).error == "")
    try folder.write("-k", to: "config")
    #expect(try await !Tool.shell("chmod 644 config; \(line)", in: folder.url).error.contains("passwords"))
    let missing = try await Tool.shell("ERRAND_CONFIG=none $errand \(server.url("/"))", in: folder.url)
    #expect(missing.code == 6 && missing.error.hasPrefix("errand: the file of options: cannot open none"))
  }

  @Test func `binary data is not written to a terminal`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(body: Data([0, 1, 2, 255])) }
    let shown = try await PseudoTerminal.run("\(server.url("/"))").text
    #expect(shown.contains("(4 bytes of binary data; to write them to a file: -o FILE)"))
  }
}
