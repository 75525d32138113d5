import ErrandCore
import Foundation
import Testing

@testable import ErrandConformance
@testable import ErrandTesting

@Suite struct ExitStatusTests {
  @Test func `exit code 0 means a 2xx response, whose body goes to standard output`() async throws {
    let server = try MockServer()
    server.on("GET", "/") { _ in .response(body: "hello") }
    let result = try await Tool.run("get", "\(server.url("/"))")
    #expect(result.code == 0)
    #expect(result.text == "hello")
    #expect(result.error == "")
  }

  @Test(arguments: [404, 500, 304, 302])
  func `exit code 1 means any other response, whose body goes to standard output, too`(_ status: Int)
    async throws
  {
    let server = try MockServer()
    let body = status == 304 ? "" : String(repeating: "gone ", count: 50_000)
    server.on("GET", "/") { _ in .response(status: status, body: body) }
    let result = try await Tool.run("get", "\(server.url("/"))")
    #expect(result.code == 1)
    #expect(result.text == body)
    #expect(
      result.error.hasPrefix(
        "errand: GET http://127.0.0.1:\(server.port)/: the server responded with \(status)"))
  }

  @Test(arguments: [
    (["get"], "errand get needs URL"),
    (["get", "/path"], "relative"), (["get", "ftp://a/b"], "only http and https"),
    (["gte", "u"], "Did you mean errand get?"),
    (["get", "http://a b"], "not a valid URL"),
    (["get", "u", "--jsno"], "Did you mean --json?"), ([], "errand get URL"),
    (["get", "http://"], "no host"),
  ])
  func `exit code 2 means incorrect use, and the error says what to do instead`(
    _ arguments: [String], _ part: String
  ) async throws {
    let result = try await Running(Tool.path, arguments).result()
    #expect(result.code == 2)
    #expect(result.text == "")
    #expect(result.error.contains(part))
  }

  @Test(arguments: ["http://127.0.0.1:1/", "http://no-such-host.invalid/"])
  func `exit code 3 means that no connection was made`(_ url: String) async throws {
    let result = try await Tool.run("get", url)
    #expect(result.code == 3)
    #expect(result.error.hasPrefix("errand: GET \(url): "))
  }

  @Test func `exit code 4 means a time-out`() async throws {
    let server = try MockServer()
    server.on("GET", "/") { _ in .stall }
    #expect(try await Tool.run("get", "\(server.url("/"))", "--timeout", "100ms").code == 4)
    #expect(try await Tool.run("get", "\(server.url("/"))", "--deadline", "100ms").code == 4)
  }

  @Test func `exit code 4 also means a time-out while connecting, and the error says so`() async throws {
    guard let hole = try BlackHole.silent() else { return }
    let result = try await Tool.run("get", "http://127.0.0.1:\(hole.port)/", "--connect-timeout", "200ms")
    #expect(result.code == 4)
    #expect(result.error.contains("no connection was made within 0.2 s"), "\(result.error)")
  }

  @Test func `an international name is sent with A-labels, and an invalid one is an error`()
    async throws
  {
    let server = try MockServer()
    server.otherwise { .response(body: $0.fields["Host"] ?? "") }
    let port = server.port
    let result = try await Tool.run(
      "get", "http://b\u{FC}cher.example:\(port)/", "--resolve", "b\u{FC}cher.example:\(port):127.0.0.1")
    #expect(result.text == "xn--bcher-kva.example:\(port)")
    let refused = try await Tool.run("get", "http://\u{2615}.example/")
    #expect(refused.code != 0)
    #expect(refused.error.contains("is not a valid international host name"), "\(refused.error)")
  }

  @Test func `exit code 4 also means a deadline in the middle of a body`() async throws {
    let server = try MockServer()
    server.on("GET", "/") { _ in .response(body: "hello").stalling(at: .body(2)) }
    let result = try await Tool.run("get", "\(server.url("/"))", "--deadline", "300ms")
    #expect(result.code == 4)
    #expect(result.text == "he")
  }

  @Test func `exit code 5 means another network failure`() async throws {
    let server = try MockServer()
    server.on("GET", "/reset") { _ in .reset }
    server.on("GET", "/cut") { _ in .response(body: "hello").closing(at: .body(2)) }
    server.on("GET", "/nonsense") { _ in .raw("nonsense\r\n\r\n") }
    for path in ["/reset", "/cut", "/nonsense"] {
      #expect(try await Tool.run("get", "\(server.url(path))").code == 5, "\(path)")
    }
  }

  @Test func `exit code 6 means trouble with a local file`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(body: "hello") }
    let url = "\(server.url("/name"))"
    for arguments in [
      ["upload", "/no/such/file", url], ["post", url, "-d", "@/no/such/file"],
      ["post", url, "-F", "a=@/no/such"],
      ["get", url, "-o", "/no/such/folder/file"], ["get", url, "-o", "/tmp"],
      ["get", url, "--cacert", "/no/such"],
    ] {
      let result = try await Running(Tool.path, arguments).result()
      #expect(result.code == 6, "\(arguments)")
      #expect(result.error.hasPrefix("errand: "))
    }
    #if os(Linux)
      #expect(try await Tool.shell("$errand get \(url) > /dev/full").code == 6)
      for command in ["help", "version", "completion bash", "--help"] {
        let result = try await Tool.shell("$errand \(command) > /dev/full")
        #expect(result.code == 6)
        #expect(
          result.error == "errand: the output cannot be written: No space left on device\n", "\(command)")
      }
    #endif
  }

  @Test func `exit code 3 also means that the process has no file descriptors left, and does not crash`()
    async throws
  {
    let server = try MockServer()
    server.on("GET", "/") { _ in .response(body: "hello") }
    // Files that the test process has left open for its children count as well.
    let result = try await Tool.shell(
      "exec 3>&- 4>&- 5>&- 6>&- 7>&-; ulimit -n 7; $errand get \(server.url("/"))")
    #expect(result.code == 3)
    #expect(result.error.contains("no connection") || result.error.contains("file descriptor"))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `exit code 130 means control-C, and the connection is closed at once`(_ signal: Int32) async throws {
    let server = try MockServer()
    server.on("GET", "/") { _ in .response(body: "hello").stalling(at: .body(2)) }
    let running = try Tool.start("get", "\(server.url("/"))")
    try await server.waitForRequests(1)
    running.send(signal)
    let result = try await running.result()
    #expect(result.code == 128 + signal && result.signal == nil)
    #expect(result.error == "")
    try await server.waitForOpenConnections(0)
  }
}
