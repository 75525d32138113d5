import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// Files on a command line that Errand did not write; pipes, devices and links.
@Suite(.timeLimit(.minutes(2))) struct ForeignFilesTests {
  private let server: MockServer
  private let folder: TemporaryFolder
  private var url: String { "\(server.url("/"))" }

  init() throws {
    server = try MockServer()
    folder = try TemporaryFolder()
    server.otherwise { request in
      .response(fields: ["Set-Cookie": "id=7; Max-Age=1000"], body: request.fields["Cookie"] ?? "none")
    }
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.file(name), encoding: .utf8)
  }

  // MARK: Kept files

  @Test(arguments: ["-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n", "notes\n", "\0\u{1}"])
  func `--cookies refuses a foreign file before anything is sent`(content: String) async throws {
    try folder.write(content, to: "jar")
    try folder.write("mine", to: "jar.damaged")
    let result = try await Tool.run("get", url, "--cookies", "jar", in: folder.url)
    #expect(result.code == 2)
    #expect(result.error.contains("the cookie file jar was not written by Errand"))
    #expect(result.error.contains("Choose another file"))
    #expect(server.requests.isEmpty)
    #expect(try text("jar") == content)
    #expect(try text("jar.damaged") == "mine")
    #expect(try folder.names == ["jar", "jar.damaged"])
  }

  @Test func `--cookies reads and writes curl's cookies.txt`() async throws {
    let host = "127.0.0.1"
    try folder.write("# Netscape HTTP Cookie File\n\(host)\tFALSE\t/\tFALSE\t0\ta\t1\n", to: "cookies.txt")
    let result = try await Tool.run("get", url, "--cookies", "cookies.txt", in: folder.url)
    #expect(result.text == "a=1", "\(result.error)")
    let lines = try text("cookies.txt").split(separator: "\n")
    #expect(
      lines.prefix(2).joined(separator: "\n")
        == "# Netscape HTTP Cookie File\n\(host)\tFALSE\t/\tFALSE\t0\ta\t1")
    #expect(
      lines.count == 3 && lines[2].hasPrefix("\(host)\tFALSE\t/\tFALSE\t") && lines[2].hasSuffix("\tid\t7"))
    #expect(try await Tool.run("get", url, "--cookies", "cookies.txt", in: folder.url).text == "a=1; id=7")
  }

  @Test(arguments: ["--har", "--trace"])
  func `a recording replaces a recording of Errand's, and no other file`(option: String) async throws {
    for _ in 0..<2 { #expect(try await Tool.run("get", url, option, "calls", in: folder.url).code == 0) }
    let count = server.requests.count
    try folder.write("mine", to: "calls")
    let result = try await Tool.run("get", url, option, "calls", in: folder.url)
    #expect(result.code == 6)
    #expect(result.error.contains("that Errand has written: choose another file, or remove this one first"))
    #expect(server.requests.count == count)
    #expect(try text("calls") == "mine")
  }

  @Test(arguments: ["--har", "--trace"])
  func `two commands cannot record into one file concurrently`(option: String) async throws {
    server.on("/slow") { _ in .response(body: "slow").stalling(at: .headEnd) }
    let first = try Tool.start(
      "get", "\(server.url("/slow"))", option, "calls", "--timeout", "60s", in: folder.url)
    try await server.waitForRequests(1)
    let second = try await Tool.run("get", url, option, "calls", in: folder.url)
    #expect(second.code == 6)
    #expect(second.error.contains("another recorder is writing it"), "\(second.error)")
    #expect(server.requests.count == 1)
    first.send(SIGINT)
    _ = try await first.result()
    let content = try text("calls")
    if option == "--har" {
      #expect(try JSONSerialization.jsonObject(with: Data(content.utf8)) is [String: Any])
    } else {
      #expect(try JSONSerialization.jsonObject(with: Data((content.dropLast(2) + "]").utf8)) is [Any])
    }
  }

  // MARK: Output

  @Test(arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "here"])
  func `-o writes to standard output at its current position`(target: String) async throws {
    #expect(symlink("/dev/stdout", folder.path("here")) == 0)
    let line = "{ echo before; $errand get \(url) -o \(target); echo; echo after; } > file; cat file"
    let result = try await Tool.shell(line, in: folder.url)
    #expect(result.text == "before\nnone\nafter\n", "\(result.error)")
  }

  @Test func `-o writes to a descriptor that the shell opened, and to no other`() async throws {
    let line = "{ echo before >&7; $errand get \(url) -o /dev/fd/7; echo after >&7; } 7> file; cat file"
    #expect(try await Tool.shell(line, in: folder.url).text == "before\nnoneafter\n")
    let count = server.requests.count
    for number in [3, 4, 5, 6, 7, 8, 9] {
      let result = try await Tool.run("get", url, "-o", "/dev/fd/\(number)", in: folder.url)
      #expect(result.code == 6)
      #expect(result.error.contains("/dev/fd/\(number) is not open"), "\(result.error)")
    }
    #expect(server.requests.count == count)
  }

  @Test func `-o keeps a symbolic link, and replaces its target`() async throws {
    try folder.write("old", to: "file")
    #expect(symlink("file", folder.path("link")) == 0)
    #expect(symlink("made", folder.path("lost")) == 0)
    for name in ["link", "lost"] {
      #expect(try await Tool.run("get", url, "-o", name, in: folder.url).code == 0)
      #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: folder.path(name))) != nil)
    }
    #expect(try text("file") == "none")
    #expect(try text("made") == "none")
    #expect(try folder.names == ["file", "link", "lost", "made"])
  }

  @Test func `-o writes to a named pipe`() async throws {
    let line = "mkfifo pipe; cat pipe > copy & $errand get \(url) -o pipe; wait; test -p pipe && cat copy"
    #expect(try await Tool.shell(line, in: folder.url).text == "none")
  }

  @Test func `a response without content does not change the file of -o, and a message says so`() async throws
  {
    server.on("/empty") { _ in .response(status: 204) }
    try folder.write("old", to: "file")
    let result = try await Tool.run("get", "\(server.url("/empty"))", "-o", "file", in: folder.url)
    #expect(result.code == 0)
    #expect(result.error.contains("the response has no content (204 No Content), so file was not changed"))
    #expect(try text("file") == "old")
    let json = try await Tool.run(
      "get", "\(server.url("/empty"))", "-o", "file", "--output", "json", in: folder.url)
    #expect(json.code == 0)
    #expect(!json.text.contains("\"file\""))
  }

  // MARK: Input

  /// Runs a line of bash, which makes pipes of `<(…)`.
  private func bash(_ line: String) async throws -> Tool.Result {
    try await Running("/bin/bash", ["-c", line], in: folder.url).result()
  }

  @Test(arguments: [
    "-d @<(printf abc)", "-d @/dev/stdin < <(printf abc)", "-d @/dev/stdin < short", "-d @pipe",
    "-d @<(sleep 0.3; printf abc)", "--json @<(printf '\"x\"')", "--json @pipe2",
  ])
  func `a body is read from a pipe to its end`(options: String) async throws {
    server.on("POST", "/echo") { .response(body: $0.body) }
    try folder.write("abc", to: "short")
    let line = """
      mkfifo pipe pipe2; (sleep 0.2; printf abc > pipe) & (sleep 0.2; printf '"x"' > pipe2) &
      $errand post \(server.url("/echo")) \(options); kill %1 %2 2>/dev/null
      """
    let result = try await bash(line)
    #expect(result.text == (options.contains("json") ? "\"x\"" : "abc"), "\(result.error)")
  }

  @Test func `a long body from a pipe is sent completely`() async throws {
    server.on("POST", "/count") { .response(body: "\($0.bodyBytes)") }
    server.on("PUT", "/count") { .response(body: "\($0.bodyBytes)") }
    let source = "<(head -c 3000000 /dev/zero)"
    let target = "\(server.url("/count"))"
    #expect(try await bash("$errand post \(target) -d @\(source)").text == "3000000")
    #expect(try await bash("$errand upload \(source) \(target)").text == "3000000")
    let form = try await bash("$errand post \(target) -F a=1 -F f=@\(source) -F g=@<(printf abc)")
    #expect(Int(form.text).map { $0 > 3_000_003 } == true, "\(form.text) \(form.error)")
    #expect(
      server.requests.last.map { String(decoding: $0.body.suffix(100), as: UTF8.self).contains("abc") }
        == true)
  }

  @Test func `JSON from a pipe is checked before anything is sent`() async throws {
    let result = try await bash("$errand post \(url) --json @<(printf '{')")
    #expect(result.code == 2, "\(result.error)")
    #expect(server.requests.isEmpty)
  }

  @Test func `secrets are read from pipes, up to a limit`() async throws {
    let token = try await bash("$errand get \(url) --bearer @<(sleep 0.2; echo t0ken)")
    #expect(token.code == 0, "\(token.error)")
    #expect(server.requests.last?.fields["Authorization"] == "Bearer t0ken")
    let netrc = try await bash(
      "NETRC=<(echo machine 127.0.0.1 login ann password s3cret) $errand get \(url) --netrc")
    #expect(netrc.code == 0, "\(netrc.error)")
    #expect(server.requests.last?.fields["Authorization"] == "Basic YW5uOnMzY3JldA==")
    let count = server.requests.count
    let endless = try await bash("$errand get \(url) --bearer @<(yes)")
    #expect(endless.code == 6)
    #expect(endless.error.contains("more bytes than the limit of 65536"), "\(endless.error)")
    #expect(try await bash("$errand get \(url) --bearer @/dev/null").code == 2)
    #expect(server.requests.count == count)
  }

  @Test func `keys and their passwords are read from pipes`() async throws {
    let make = """
      openssl genpkey -algorithm ed25519 -out key.pem 2>/dev/null &&
      openssl pkcs8 -topk8 -in key.pem -passout pass:s3cret -out locked.pem
      """
    #expect(try await bash(make).code == 0)
    let plain = try await bash("$errand get \(url) --sign <(cat key.pem) --key-id k")
    #expect(plain.code == 0, "\(plain.error)")
    let locked = try await bash(
      "$errand get \(url) --sign <(cat locked.pem) --key-id k --key-password @<(echo s3cret)")
    #expect(locked.code == 0, "\(locked.error)")
    #expect(server.requests.allSatisfy { $0.fields.contains("Signature") })
  }
}
