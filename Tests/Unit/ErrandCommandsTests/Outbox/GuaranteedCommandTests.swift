import ErrandCore
import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct GuaranteedCommandTests {
  @Test func `a guaranteed request is stored and delivered, and its response is printed`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { .response(status: 201, body: "got \($0.text)") }
    try await TemporaryFolder.using { folder in
      let result = try await Tool.run(
        "post", "\(server.url("/"))", "-d", "hello", "--guaranteed", "--store", "box", "-i", in: folder)
      #expect(result.code == 0)
      #expect(result.text.hasPrefix("HTTP/1.1 201 Created\n") && result.text.hasSuffix("\n\ngot hello"))
      #expect(result.error.hasPrefix("* stored as ") && result.error.contains("\n* attempt 1\n"))
      #expect(server.requests.map { $0.fields["Idempotency-Key"] != nil } == [true])
    }
  }

  @Test func `a guaranteed request waits for an unreachable server`() async throws {
    let port = try FreePort.take()
    try await TemporaryFolder.using { folder in
      let running = try Tool.start(
        "post", "http://127.0.0.1:\(port)/", "-d", "hello", "--guaranteed", "--store", "box", in: folder)
      try await running.waitForError("* next attempt")
      let back = try MockServer(port: port)
      back.otherwise { _ in .response(body: "welcome") }
      let result = try await running.result()
      #expect(result.code == 0 && result.text == "welcome")
      #expect(result.error.contains("* attempt 1: no connection"))
    }
  }

  @Test func `exit code 7 means a dead letter, whose response is printed, and which stays in the outbox`()
    async throws
  {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response(status: 400, body: "no such field") }
    try await TemporaryFolder.using { folder in
      let result = try await Tool.run(
        "post", "\(server.url("/"))", "-d", "bad", "--guaranteed", "--store", "box", in: folder)
      #expect(result.code == 7 && result.text == "no such field")
      #expect(
        result.error.contains(
          "moved to the dead letters: the server responded with 400 Bad Request\n  To attempt it again: errand outbox retry "
        ) && result.error.hasSuffix(" --store box.\n"))
      let list = try await Tool.run("outbox", "list", "--state", "dead-letter", "--store", "box", in: folder)
      #expect(list.text.contains("dead-letter"))
    }
  }

  @Test func `exit code 8 means an expired request`() async throws {
    try await TemporaryFolder.using { folder in
      let result = try await Tool.run(
        "post", "http://127.0.0.1:9/", "--guaranteed", "--expires", "200ms", "--store", "box", in: folder)
      #expect(result.code == 8)
      #expect(result.error.contains("the request expired before it was delivered"))
    }
  }

  @Test func `a credential is used for the attempts of this process and is stored nowhere`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .stall }
    try await TemporaryFolder.using { folder in
      let running = try Tool.start(
        "post", "\(server.url("/"))", "-H", "Authorization: Bearer quite-secret", "--guaranteed", "--store",
        "box",
        in: folder)
      #expect(try await server.waitForRequests(1)[0].fields["Authorization"] == "Bearer quite-secret")
      let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
      var looked = 0
      for case let file as URL in files {
        guard let data = try? Data(contentsOf: file), !file.path.hasSuffix(".bell") else { continue }
        #expect(data.range(of: Data("quite-secret".utf8)) == nil, "\(file)")
        looked += 1
      }
      #expect(looked > 0)
      running.send(SIGINT)
      let result = try await running.result()
      #expect(result.code == 130)
      #expect(
        result.error.contains(
          "To deliver it: errand outbox run --store box -H 'Authorization: ...' --to http://127.0.0.1:\(server.port)"
        ))
    }
  }

  @Test func `a credential with --detach is refused, and the error has the command that can add it`()
    async throws
  {
    try await TemporaryFolder.using { folder in
      let result = try await Tool.run(
        "post", "http://127.0.0.1:1/", "-H", "Authorization: x", "--guaranteed", "--detach", "--store", "box",
        in: folder)
      #expect(result.code == 2 && result.text == "")
      #expect(
        result.error.contains("no secret is stored")
          && result.error.contains("errand outbox run --bearer @FILE"))
    }
  }

  @Test func `an older request to the server is sent with the credentials of the file of options`()
    async throws
  {
    let server = try MockServer()
    server.on("POST", "/") { .response(status: $0.fields["Authorization"] == "Bearer T" ? 200 : 404) }
    try await TemporaryFolder.using { folder in
      try Data("[127.0.0.1]\n--bearer T".utf8).write(to: folder.appending(path: "options"))
      let result = try await Tool.shell(
        """
        chmod 600 options; export ERRAND_CONFIG=options
        $errand post \(server.url("/")) -d a --guaranteed --detach --store box &&
        $errand post \(server.url("/")) -d b --guaranteed --store box &&
        $errand outbox run --until-empty --store box
        """, in: folder)
      #expect(result.code == 0, "\(result.error)")
    }
    #expect(server.requests.map { $0.fields["Authorization"] } == ["Bearer T", "Bearer T"])
  }

  @Test func `a broken file of options does not keep help from being shown`() async throws {
    let help = try await Tool.shell(
      "ERRAND_CONFIG=/none $errand help && ERRAND_CONFIG=/none $errand --version")
    #expect(help.code == 0 && help.error == "")
    #expect(try await Tool.shell("ERRAND_CONFIG=/none $errand get http://127.0.0.1:1/").code == 6)
  }

  @Test func `with -s the steps are not shown, and JSON has the exit code after SIGTERM`() async throws {
    let server = try MockServer()
    server.script("/", [.stall, .response(body: "welcome"), .response(body: "welcome")])
    try await TemporaryFolder.using { folder in
      let url = "\(server.url("/"))"
      let running = try Tool.start(
        "post", url, "-d", "a", "--guaranteed", "-s", "--output", "json", "--store", "box", in: folder)
      try await server.waitForWholeRequest()
      running.send(SIGTERM)
      let stopped = try await running.result()
      #expect(stopped.code == 143 && stopped.text.contains(#""exit":143"#) && stopped.error == "")
      let sent = try await Tool.run(
        "post", url, "-d", "b", "--guaranteed", "-s", "--store", "box", in: folder)
      #expect(sent.code == 0 && sent.text == "welcome" && sent.error == "")
    }
  }

  @Test func `control-C reports the stored request, and a run continues with the same key`() async throws {
    let server = try MockServer()
    server.script("/", [.stall, .response(body: "welcome")])
    try await TemporaryFolder.using { folder in
      let running = try Tool.start(
        "post", "\(server.url("/"))", "-d", "hello", "--guaranteed", "--store", "box", in: folder)
      try await server.waitForWholeRequest()
      running.send(SIGINT)
      let result = try await running.result()
      #expect(result.code == 130 && result.text == "")
      #expect(
        result.error.contains(
          "is stored, but not delivered yet\n  To deliver it: errand outbox run --store box"))
      #expect(try await Tool.run("outbox", "run", "--until-empty", "--store", "box", in: folder).code == 0)
    }
    #expect(server.requests.map(\.text) == ["hello", "hello"])
    #expect(Set(server.requests.map { $0.fields["Idempotency-Key"] }).count == 1)
  }

  @Test func `a long standard input is stored, too, and leaves nothing behind`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response() }
    let input = Data.seeded(3_000_000)
    try await TemporaryFolder.using { folder in
      let stored = try await Tool.run(
        "post", "\(server.url("/"))", "-d", "-", "--guaranteed", "--detach", "--store", "box", input: input,
        in: folder)
      #expect(stored.code == 0 && server.requests.isEmpty)
      #expect(try await Tool.run("outbox", "run", "--until-empty", "--store", "box", in: folder).code == 0)
      #expect(server.requests.map(\.body) == [input])
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "box/files").path) == [])
    }
  }

  @Test func `a guaranteed request sends earlier ones for its server, but not those for other servers`()
    async throws
  {
    let (server, other) = (try MockServer(), try MockServer())
    for one in [server, other] { one.otherwise { _ in .response() } }
    try await TemporaryFolder.using { folder in
      func store(_ url: URL, _ body: String, _ options: String...) async throws -> Tool.Result {
        try await Running(
          Tool.path, ["post", "\(url)", "-d", body, "--guaranteed", "--store", "box"] + options, in: folder
        ).result()
      }
      for number in 0..<20 {
        #expect(try await store(other.url("/"), "\(number)", "--detach").code == 0)
      }
      #expect(try await store(server.url("/before"), "before", "--detach", "--lane", "a").code == 0)
      #expect(try await store(server.url("/"), "own", "--lane", "a").code == 0)
      #expect(server.requests.map(\.text) == ["before", "own"] && other.requests.isEmpty)
      let left = try await Tool.run("outbox", "list", "--state", "stored", "--store", "box", in: folder)
      #expect(left.text.split(separator: "\n").count == 21)
    }
  }

  @Test func `a no-store response is printed nevertheless`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response(fields: ["Cache-Control": "no-store"], body: "welcome") }
    try await TemporaryFolder.using { folder in
      let arguments = ["post", "\(server.url("/"))", "--guaranteed", "--store", "box"]
      #expect(try await Running(Tool.path, arguments, in: folder).result().text == "welcome")
      let report = try await Running(Tool.path, arguments + ["--output", "json"], in: folder).result()
      #expect(report.code == 0 && report.text.contains(#""body":"welcome""#))
    }
  }

  @Test func `JSON output is one object, with the response and the stored request`() async throws {
    struct Report: Decodable {
      struct Stored: Decodable {
        let id: String
        let state: String
        let attempts: Int
      }
      struct Failure: Decodable {
        let code: String
        let exit: Int
      }
      let status: Int?
      let body: String?
      let stored: Stored?
      let error: Failure?
    }
    let server = try MockServer()
    server.on("POST", "/") { _ in .response(body: "welcome") }
    server.on("POST", "/bad") { _ in .response(status: 400, body: "no") }
    try await TemporaryFolder.using { folder in
      func report(_ path: String, _ code: Int32) async throws -> Report {
        let result = try await Tool.run(
          "post", "\(server.url(path))", "--guaranteed", "--store", "box", "--output", "json", in: folder)
        #expect(result.code == code)
        return try JSONDecoder().decode(Report.self, from: result.output)
      }
      let delivered = try await report("/", 0)
      #expect(delivered.status == 200 && delivered.body == "welcome" && delivered.error == nil)
      #expect(delivered.stored?.state == "delivered" && delivered.stored?.attempts == 1)
      let refused = try await report("/bad", 7)
      #expect(refused.status == 400 && refused.body == "no" && refused.stored?.state == "dead-letter")
      #expect(refused.error?.code == "deadLettered" && refused.error?.exit == 7)
    }
  }
}
