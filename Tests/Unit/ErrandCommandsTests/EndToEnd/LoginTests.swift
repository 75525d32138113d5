import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandSigning

/// The options for credentials, on sockets.
@Suite(.timeLimit(.minutes(1))) struct LoginTests {
  private func server() throws -> MockServer {
    let server = try MockServer()
    server.otherwise { _ in .response(body: "ok") }
    return server
  }

  private func basic(_ text: String) -> String { "Basic \(Data(text.utf8).base64EncodedString())" }

  @Test func `-u logs in with basic authentication`() async throws {
    let server = try server()
    let url = "\(server.url("/"))"
    for user in ["ann:secret", "ann:", "ann:a:b @/", "änn:geheim é"] {
      let result = try await Tool.run("get", url, "-u", user)
      #expect(result.text == "ok")
      #expect(server.requests.last?.fields["Authorization"] == basic(user))
    }
    _ = try await Tool.run("post", url, "-u", "ann:secret", "-d", "x")
    #expect(server.requests.last?.fields["Authorization"] == basic("ann:secret"))
  }

  @Test func `a user name with a colon is refused, because the server would split it differently`()
    async throws
  {
    let server = try server()
    let folder = try TemporaryFolder()
    try folder.write("machine 127.0.0.1 login \"ann:x\" password secret\n", to: ".netrc")
    chmod(folder.path(".netrc"), 0o600)
    let line = try await Tool.shell("HOME=$PWD $errand get \(server.url("/")) --netrc", in: folder.url)
    #expect(line.code == 2 && line.error.contains("colon"), "\(line.error)")
    let url = "\(server.url("/"))".replacing("://", with: "://ann%3Ax:secret@")
    let inURL = try await Tool.run("get", url)
    #expect(inURL.code == 2 && inURL.error.contains("colon"), "\(inURL.error)")
    let control = try await Tool.run("get", url.replacing("%3A", with: "%0A"))
    #expect(control.code == 2 && control.error.contains("control character"), "\(control.error)")
    #expect(server.requests.isEmpty)
  }

  @Test func `--bearer sends a token, or the token in a file`() async throws {
    let server = try server()
    let folder = try TemporaryFolder()
    try folder.write("from.file\r\n\n", to: "token")
    let url = "\(server.url("/"))"
    #expect(try await Tool.run("get", url, "--bearer", "from.line").code == 0)
    #expect(try await Tool.run("get", url, "--bearer", "@token", in: folder.url).code == 0)
    #expect(server.requests.map { $0.fields["Authorization"] } == ["Bearer from.line", "Bearer from.file"])
    for (text, code) in [("two words", 2), ("", 2), ("\n", 2), (String(repeating: "a", count: 100_000), 6)] {
      try folder.write(text, to: "token")
      #expect(try await Tool.run("get", url, "--bearer", "@token", in: folder.url).code == Int32(code))
    }
    #expect(try await Tool.run("get", url, "--bearer", "@missing", in: folder.url).code == 6)
    #expect(server.requests.count == 2)
  }

  @Test func `--netrc logs in with the host's entry in the file`() async throws {
    let server = try server()
    let folder = try TemporaryFolder()
    try folder.write("machine 127.0.0.1 login ann password \"se cret\"\n", to: ".netrc")
    chmod(folder.path(".netrc"), 0o600)
    let line = "HOME=$PWD $errand get \(server.url("/")) --netrc"
    #expect(try await Tool.shell(line, in: folder.url).code == 0)
    #expect(server.requests.last?.fields["Authorization"] == basic("ann:se cret"))
    chmod(folder.path(".netrc"), 0o644)
    let result = try await Tool.shell(line, in: folder.url)
    #expect(result.code == 6 && result.error.contains("chmod 600"), "\(result.error)")
    #expect(server.requests.count == 1)
  }

  @Test(arguments: ["", "--digest"])
  func `--netrc sends the password of the URL's user, and no other password`(option: String) async throws {
    let server = try MockServer()
    server.otherwise { request in
      request.fields.contains("Authorization")
        ? .response()
        : .response(status: 401, fields: ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=auth"])
    }
    let folder = try TemporaryFolder()
    try folder.write(
      "machine 127.0.0.1 login bob password mk0f1e2d\nmachine 127.0.0.1 login alice password a\n",
      to: ".netrc")
    chmod(folder.path(".netrc"), 0o600)
    func run(_ user: String) async throws -> Tool.Result {
      let url = "\(server.url("/"))".replacing("://", with: "://\(user)@")
      return try await Tool.shell("HOME=$PWD $errand get '\(url)' --netrc \(option)", in: folder.url)
    }
    #expect(try await run("alice").code == 0)
    let sent = try #require(server.requests.last?.fields["Authorization"])
    #expect(option.isEmpty ? sent == basic("alice:a") : sent.contains(#"username="alice""#))
    let count = server.requests.count
    let unknown = try await run("mk0f1e2d")
    #expect(unknown.code == 2 && unknown.error.contains("no password for the URL's user"), "\(unknown.error)")
    #expect(!unknown.error.contains("mk0f1e2d"))
    #expect(server.requests.count == count)
  }

  @Test func `--digest never sends the password, and a body from standard input is sent again`() async throws
  {
    let server = try MockServer()
    server.otherwise { request in
      request.fields["Authorization"]?.hasPrefix("Digest username=\"ann\", realm=\"r\"") ?? false
        ? .response(body: request.body)
        : .response(
          status: 401,
          fields: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"])
    }
    let url = "\(server.url("/"))"
    let long = Data.seeded(2_000_000)
    for input in [Data("short".utf8), long] {
      let result = try await Tool.run("post", url, "-d", "-", "-u", "ann:secret", "--digest", input: input)
      #expect(result.code == 0 && result.output == input, "\(result.error)")
    }
    #expect(server.requests.count == 4)
    #expect(server.requests.map { $0.fields.contains("Authorization") } == [false, true, false, true])
  }

  @Test func `--cookies keeps cookies from one run to the next`() async throws {
    let server = try MockServer()
    server.otherwise { request in
      .response(fields: ["Set-Cookie": "session=mk0f1e2d"], body: request.fields["Cookie"] ?? "none")
    }
    let folder = try TemporaryFolder()
    let url = "\(server.url("/"))"
    #expect(try await Tool.run("get", url, "--cookies", "jar", in: folder.url).text == "none")
    let second = try await Tool.run("get", url, "-v", "--cookies", "jar", in: folder.url)
    #expect(second.text == "session=mk0f1e2d")
    #expect(!second.error.contains("mk0f1e2d"), "\(second.error)")
    var info = stat()
    #expect(stat(folder.path("jar"), &info) == 0 && info.st_mode & 0o777 == 0o600)
    #expect(try await Tool.run("get", url, in: folder.url).text == "none")
  }

  @Test func `cookies that cannot be stored are a failure of a local file`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(fields: ["Set-Cookie": "a=1"], body: "ok") }
    let result = try await Tool.run("get", "\(server.url("/"))", "--cookies", "/proc/none")
    #expect(result.code == 6 && result.text == "ok" && result.error.contains("/proc/none"))
  }

  @Test(arguments: ["-u ann:mk0f1e2d", "--bearer mk0f1e2d"])
  func `a redirect to another origin is not sent the credential`(option: String) async throws {
    let (server, other) = (try MockServer(), try server())
    server.otherwise { _ in .redirect(302, to: "\(other.url("/"))") }
    let result = try await Tool.shell("$errand get -v \(option) \(server.url("/"))")
    #expect(result.text == "ok")
    #expect(server.requests.first?.fields.contains("Authorization") == true)
    #expect(other.requests.first?.fields.contains("Authorization") == false)
  }

  @Test(arguments: [
    "-u ann:mk0f1e2d", "-u ann:mk0f1e2d --digest", "--bearer mk0f1e2d", "--bearer @token", "--netrc",
    "--aws-sigv4 eu-central-1:s3", "-u mk0f1e2d", "--bearer 'mk0f1e2d x'",
  ])
  func `no output shows a secret`(option: String) async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(status: 403, body: "no") }
    let folder = try TemporaryFolder()
    try folder.write("mk0f1e2d", to: "token")
    try folder.write("machine 127.0.0.1 login ann password mk0f1e2d", to: ".netrc")
    chmod(folder.path(".netrc"), 0o600)
    let variables =
      "HOME=$PWD AWS_ACCESS_KEY_ID=mk0f1e2d AWS_SECRET_ACCESS_KEY=mk0f1e2d AWS_SESSION_TOKEN=mk0f1e2d"
    for command in [
      "get -v", "get --output json", "get -v --retry 1", "head -v", "download -v -o f", "upload -v token",
    ] {
      for url in ["\(server.url("/?a=b"))", "http://127.0.0.1:1/", "http://[/"] {
        let result = try await Tool.shell("\(variables) $errand \(command) \(url) \(option)", in: folder.url)
        #expect(result.code != 0)
        #expect(
          !(result.text + result.error).contains("mk0f1e2d"), "\(command) \(result.text) \(result.error)")
        let encoded = Data("ann:mk0f1e2d".utf8).base64EncodedString()
        #expect(!(result.text + result.error).contains(encoded), "\(command) \(result.text) \(result.error)")
      }
    }
  }

  // MARK: AWS

  private func aws(_ line: String, in folder: TemporaryFolder? = nil, token: String? = nil) async throws
    -> Tool.Result
  {
    try await Tool.shell(
      "\(AWSVerification.environment) AWS_SESSION_TOKEN=\(token ?? "") $errand \(line)", in: folder?.url)
  }

  @Test func `--aws-sigv4 signs each kind of request`() async throws {
    let server = try server()
    let folder = try TemporaryFolder()
    try folder.write(Data.seeded(2_000_000), to: "film.mp4")
    let url = "http://127.0.0.1:\(server.port)/a%20b//c/../d?z=1&a=%2B%20&b"
    for (line, token) in [
      ("get '\(url)' -H 'X-Amz-Meta-A:   1   2'", nil), ("head '\(url)'", "tok/en="),
      ("delete '\(url)'", nil),
      ("post '\(url)' --json '{}'", "tok/en="), ("put '\(url)' -d @film.mp4", nil),
      ("post '\(url)' -F a=b -F f=@film.mp4", nil), ("upload film.mp4 '\(url)' --compress", nil),
      ("download '\(url)' -o file", nil), ("post '\(url)' -d - < film.mp4", nil),
      ("send PURGE 'http://LocalHost:\(server.port)/'", nil), ("post '\(url)' --form 'a=b c'", nil),
    ] as [(String, String?)] {
      for service in ["s3", "execute-api"] {
        let result = try await aws("\(line) --aws-sigv4 eu-central-1:\(service)", in: folder, token: token)
        #expect(result.code == 0, "\(line): \(result.error)")
        let request = try #require(server.requests.last)
        #expect(
          try await AWSVerification.isValid(request, service: service, token: token),
          "\(line) \(request.fields)")
        #expect(request.fields.contains("X-Amz-Content-SHA256") == (service == "s3"))
      }
    }
  }

  @Test(arguments: [-3600.0, 3600])
  func `--aws-sigv4 signs once more for a server with a different clock`(skew: Double) async throws {
    let server = try MockServer()
    server.otherwise { request in
      let date = Date().addingTimeInterval(skew)
      let signed = request.fields["X-Amz-Date"].flatMap(AWSTimestamp.date) ?? .distantPast
      guard abs(signed.timeIntervalSince(date)) > 900 else { return .response(body: request.body) }
      return .response(
        status: 403, fields: ["Date": httpDate(date)],
        body: "<Error><Code>RequestTimeTooSkewed</Code></Error>")
    }
    let result = try await aws("post \(server.url("/")) -d hello --aws-sigv4 eu-central-1:s3")
    #expect(result.text == "hello", "\(result.error)")
    #expect(server.requests.count == 2)
    for request in server.requests { #expect(try await AWSVerification.isValid(request, service: "s3")) }
  }

  @Test func `a signature that is finally refused is shown with the server's document`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(status: 403, body: "<Error><Code>SignatureDoesNotMatch</Code></Error>")
    }
    let result = try await aws("get \(server.url("/")) --aws-sigv4 eu-central-1:s3")
    #expect(result.code == 1)
    #expect(result.text.contains("SignatureDoesNotMatch"))
    #expect(server.requests.count == 1)
  }

  @Test func `--aws-sigv4 without keys is a usage error`() async throws {
    let server = try server()
    for (variables, name) in [
      ("", "AWS_ACCESS_KEY_ID"), ("AWS_ACCESS_KEY_ID=mk0f", "AWS_SECRET_ACCESS_KEY"),
      ("AWS_ACCESS_KEY_ID='mk0f ' AWS_SECRET_ACCESS_KEY=mk0f", "access key ID"),
    ] {
      let result = try await Tool.shell("\(variables) $errand get \(server.url("/")) --aws-sigv4 r:s3")
      #expect(result.code == 2)
      #expect(result.error.contains(name) && !result.error.contains("mk0f"), "\(result.error)")
    }
    #expect(server.requests.isEmpty)
  }
}

/// Returns a date as servers write it (RFC 9110, section 5.6.7).
private func httpDate(_ date: Date) -> String {
  let style = DateFormatter()
  style.locale = Locale(identifier: "en_US_POSIX")
  style.timeZone = TimeZone(identifier: "GMT")
  style.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
  return style.string(from: date)
}
