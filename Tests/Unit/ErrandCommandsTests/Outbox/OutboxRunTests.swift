import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct OutboxRunTests {
  /// Stores a request in `box` and returns its ID.
  @discardableResult
  private func store(_ url: URL, _ body: String = "hello", lane: String = "a", in folder: URL) async throws
    -> String
  {
    let result = try await Tool.run(
      "post", "\(url)", "-d", body, "--guaranteed", "--detach", "--lane", lane, "--store", "box", in: folder)
    #expect(result.code == 0 && result.error == "")
    return result.text.trimmingCharacters(in: .newlines)
  }

  private func run(_ options: String..., in folder: URL) throws -> Running {
    try Running(Tool.path, ["outbox", "run", "--store", "box"] + options, in: folder)
  }

  @Test func `a run delivers stored requests in order, and ends when none is left`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response() }
    try await TemporaryFolder.using { folder in
      for body in ["1", "2", "3"] { try await store(server.url("/"), body, in: folder) }
      #expect(server.requests.isEmpty)
      let result = try await run("--until-empty", in: folder).result()
      #expect(result.code == 0 && result.text == "")
      #expect(result.error.contains("\n* 3 delivered\n"))
      #expect(server.requests.map(\.text) == ["1", "2", "3"])
    }
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a run that is stopped during an attempt gives the request back and ends with 0`(_ signal: Int32)
    async throws
  {
    let server = try MockServer()
    server.script("/", [.stall, .response()])
    try await TemporaryFolder.using { folder in
      let id = try await store(server.url("/"), in: folder)
      let running = try run("--grace", "100ms", in: folder)
      try await server.waitForWholeRequest()
      running.send(signal)
      let result = try await running.result()
      #expect(result.code == 0 && result.signal == nil)
      let shown = try await Tool.run("outbox", "show", id, "--store", "box", "--output", "json", in: folder)
      #expect(shown.text.contains(#""state":"stored""#) && shown.text.contains(#""attempts":0"#))
      #expect(try await run("--until-empty", in: folder).result().code == 0)
    }
    #expect(Set(server.requests.map { $0.fields["Idempotency-Key"] }).count == 1)
    #expect(server.requests.count == 2)
  }

  @Test func `a run sends a server's token, and reads its file for each attempt`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { .response(status: $0.fields["Authorization"] == "Bearer new" ? 200 : 401) }
    let other = try MockServer()
    other.on("POST", "/") { _ in .response() }
    try await TemporaryFolder.using { folder in
      let token = folder.appending(path: "token")
      try Data("old\n".utf8).write(to: token)
      try await store(server.url("/"), in: folder)
      try await store(other.url("/"), lane: "b", in: folder)
      let running = try run(
        "--until-empty", "--bearer", "@token", "--to", "127.0.0.1:\(server.port)", in: folder)
      try await running.waitForError(
        "refuses the credentials, or needs some: errand outbox run --bearer @FILE")
      try Data("new\n".utf8).write(to: token)
      #expect(try await running.result().code == 0)
    }
    let tokens = server.requests.map { $0.fields["Authorization"] }
    #expect(tokens.first == "Bearer old" && tokens.last == "Bearer new")
    #expect(other.requests.map { $0.fields["Authorization"] } == [nil])
  }

  @Test func `a token that cannot be read holds up its server, and no request is sent`() async throws {
    let server = try MockServer()
    try await TemporaryFolder.using { folder in
      try await store(server.url("/"), in: folder)
      let result = try await run(
        "--once", "--bearer", "@token", "--to", "\(server.url("/"))", in: folder
      ).result()
      #expect(result.code == 0 && result.error.contains("cannot open token"))
    }
    #expect(server.requests.isEmpty)
  }

  @Test func `the file of options gives each server its credentials, which are never stored`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response() }
    try await TemporaryFolder.using { folder in
      let lines = ["--retry 3", "-H 'X-Trace: 1'", "[127.0.0.1]", "-H 'X-API-Key: k1'", "--bearer t1"]
      try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: "options"))
      let stored = try await Tool.shell(
        """
        chmod 600 options; export ERRAND_CONFIG=options
        $errand post \(server.url("/")) -d a --guaranteed --detach --store box && ! grep -r -e k1 -e t1 box &&
        $errand outbox run --until-empty --store box
        """, in: folder)
      #expect(stored.code == 0, "\(stored.error)")
    }
    let fields = try #require(server.requests.first?.fields)
    #expect(fields["X-API-Key"] == "k1" && fields["Authorization"] == "Bearer t1" && fields["X-Trace"] == "1")
  }

  @Test func `a run serves metrics of the outbox and of its requests`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response() }
    try await TemporaryFolder.using { folder in
      try await store(server.url("/"), in: folder)
      // A port that was free a moment ago.
      let port = try MockServer().port
      let running = try run("--metrics", ":\(port)", in: folder)
      try await server.waitForWholeRequest()
      let client = Client(transport: CurlTransport())
      let origin = "http://127.0.0.1:\(server.port)"
      var missing = [
        #"errand_outbox_ended_total{state="delivered"} 1"#, #"errand_outbox_requests{state="stored"} 0"#,
        #"errand_requests_total{method="POST",status="2xx",origin="\#(origin)"} 1"#,
      ]
      // The metrics of the client are read before those of the outbox, so one text may have the end of only one.
      while !missing.isEmpty {
        let text = try await client.send(.get("http://127.0.0.1:\(port)/metrics")).text
        missing.removeAll { text.contains($0) }
      }
      let second = try await run("--metrics", "127.0.0.1:\(port)", in: folder).result()
      #expect(second.code == 6 && second.error.contains("\(port)"))
      running.send(SIGTERM)
      #expect(try await running.result().code == 0)
    }
  }

  @Test func `a stopped run lets attempts in flight finish`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response().pausing(.milliseconds(500)) }
    try await TemporaryFolder.using { folder in
      try await store(server.url("/"), in: folder)
      let running = try run(in: folder)
      try await server.waitForWholeRequest()
      running.send(SIGTERM)
      let result = try await running.result()
      #expect(result.code == 0 && result.error.contains("delivered: 200 OK"))
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a run that is killed during an attempt loses no request`() async throws {
    let server = try MockServer()
    server.script("/", [.stall, .response()])
    try await TemporaryFolder.using { folder in
      try await store(server.url("/"), in: folder)
      let running = try run(in: folder)
      try await server.waitForWholeRequest()
      running.send(SIGKILL)
      #expect(try await running.result().signal == SIGKILL)
      #expect(try await run("--until-empty", in: folder).result().code == 0)
    }
    #expect(server.requests.map(\.text) == ["hello", "hello"])
    #expect(Set(server.requests.map { $0.fields["Idempotency-Key"] }).count == 1)
  }

  @Test func `the request of a hanging run can be retried by force`() async throws {
    let server = try MockServer()
    server.script("/", [.stall, .response()])
    try await TemporaryFolder.using { folder in
      let id = try await store(server.url("/"), in: folder)
      let hung = try run(in: folder)
      try await server.waitForWholeRequest()
      hung.send(SIGSTOP)
      let left = try await Tool.run("outbox", "retry", id, "--store", "box", in: folder)
      #expect(left.code == 1 && left.error.contains("\(id) was not retried: it is attempting"))
      #expect(
        left.error.contains("1 request is being attempted, and only --force retries that")
          && left.error.contains("--force"))
      let all = try await Tool.run("outbox", "retry", "--all", "--store", "box", in: folder)
      #expect(
        all.code == 0 && all.error.contains("1 request is being attempted, and only --force retries that"))
      let freed = try await Tool.run("outbox", "retry", "--force", id, "--store", "box", in: folder)
      #expect(freed.code == 0 && freed.text.hasPrefix("retried: \(id)") && freed.error == "")
      #expect(try await run("--until-empty", in: folder).result().code == 0)
      let shown = try await Tool.run("outbox", "show", id, "--store", "box", "--output", "json", in: folder)
      #expect(shown.text.contains(#""state":"delivered""#) && shown.text.contains(#""attempts":2"#))
      hung.send(SIGKILL)
      _ = try await hung.result()
    }
  }

  @Test func `two runs on one folder send nothing twice`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response().pausing(.milliseconds(5)) }
    try await TemporaryFolder.using { folder in
      for number in 0..<6 { try await store(server.url("/"), "\(number)", lane: "\(number)", in: folder) }
      let (one, two) = (try run("--until-empty", in: folder), try run("--until-empty", in: folder))
      #expect(try await one.result().code == 0)
      #expect(try await two.result().code == 0)
      #expect(server.requests.map(\.text).sorted() == (0..<6).map { "\($0)" })
    }
  }

  @Test func `a run delivers new requests at once, and its events are JSON lines`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response(status: 201) }
    try await TemporaryFolder.using { folder in
      let running = try run("--output", "json", in: folder)
      let id = try await store(server.url("/"), in: folder)
      try await running.waitForOutput(#""event":"delivered""#)
      running.send(SIGTERM)
      let result = try await running.result()
      #expect(result.code == 0 && result.error == "")
      let lines = result.text.split(separator: "\n")
      #expect(
        lines.contains { $0.contains(#""event":"delivered","id":"\#(id)""#) && $0.contains(#""status":201"#) }
      )
      #expect(lines.last?.contains(#""done":{"delivered":1}"#) == true)
    }
  }

  @Test func `exit code 7 means that there are dead letters, and paused requests remain`() async throws {
    let server = try MockServer()
    server.on("POST", "/bad") { _ in .response(status: 400) }
    server.on("POST", "/") { _ in .response() }
    try await TemporaryFolder.using { folder in
      try await store(server.url("/bad"), lane: "bad", in: folder)
      try await store(server.url("/"), lane: "paused", in: folder)
      _ = try await Tool.run("outbox", "pause", "--lane", "paused", "--store", "box", in: folder)
      let result = try await run("--until-empty", in: folder).result()
      #expect(result.code == 7)
      #expect(result.error.contains("* 1 dead-letter\n* left: 1 stored, 1 dead-letter"))
      #expect(server.count("/") == 0)
    }
  }

  @Test func `one pass sends all requests that are due, and does not wait for retries`() async throws {
    let (server, busy) = (try MockServer(), try MockServer())
    server.on("POST", "/") { _ in .response() }
    busy.on("POST", "/") { _ in .response(status: 503, fields: ["Retry-After": "3600"]) }
    try await TemporaryFolder.using { folder in
      #expect(try await run("--once", in: folder).result().code == 0)
      for number in 0..<20 {
        try await store(server.url("/"), "\(number)", lane: "\(number % 3)", in: folder)
      }
      try await store(busy.url("/"), lane: "busy", in: folder)
      let result = try await run("--once", in: folder).result()
      #expect(result.code == 0 && result.error.contains("* 20 delivered\n* left: 1 stored"))
      #expect(server.count("/") == 20 && busy.count("/") == 1)
      #expect(try await run("--once", in: folder).result().code == 0)
      #expect(busy.count("/") == 1)
    }
  }

  @Test func `a pass with a dead letter ends with 7`() async throws {
    let server = try MockServer()
    server.on("POST", "/bad") { _ in .response(status: 400) }
    try await TemporaryFolder.using { folder in
      try await store(server.url("/bad"), in: folder)
      #expect(try await run("--once", in: folder).result().code == 7)
      let result = try await run("--once", "--until-empty", in: folder).result()
      #expect(result.code == 2 && result.error.contains("cannot be combined"))
    }
  }

  @Test(arguments: [["--until-empty"], ["--once"]], [SIGTERM, SIGINT])
  func `a run that is stopped early ends with the signal's code, whatever else happened`(
    _ options: [String], _ signal: Int32
  ) async throws {
    let server = try MockServer()
    server.on("POST", "/bad") { _ in .response(status: 400) }
    server.on("POST", "/") { _ in .stall }
    try await TemporaryFolder.using { folder in
      for setsAside in [false, true] {
        if setsAside { try await store(server.url("/bad"), lane: "bad", in: folder) }
        try await store(server.url("/"), in: folder)
        let before = server.count("/")
        let running = try Running(
          Tool.path, ["outbox", "run", "--store", "box", "--grace", "100ms"] + options, in: folder)
        try await server.waitForRequests(before + 1, path: "/")
        if setsAside { try await server.waitForRequests(path: "/bad") }
        if setsAside { try await running.waitForError(": moved to the dead letters: ") }
        running.send(signal)
        let result = try await running.result()
        #expect(result.code == 128 + signal && result.signal == nil)
      }
    }
  }

  @Test func `a header field of a run is sent only to its origins`() async throws {
    let (friend, stranger) = (try MockServer(), try MockServer())
    friend.otherwise { _ in .response() }
    stranger.otherwise { _ in .response() }
    try await TemporaryFolder.using { folder in
      try await store(friend.url("/"), lane: "a", in: folder)
      try await store(stranger.url("/"), lane: "b", in: folder)
      let result = try await run(
        "--until-empty", "-H", "Authorization: Bearer x", "--to", "\(friend.url("/"))", in: folder
      ).result()
      #expect(result.code == 0)
    }
    #expect(friend.requests.map { $0.fields["Authorization"] } == ["Bearer x"])
    #expect(stranger.requests.map { $0.fields["Authorization"] } == [nil])
  }
}
