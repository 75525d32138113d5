import ErrandCore
import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

/// `--curl` prints a command that sends the same request.
@Suite(.timeLimit(.minutes(2))) struct CurlCasesTests {
  /// The arguments of each case. URL is the server's, and the files `a.json`, `b.bin` and `large` exist.
  static let cases: [[String]] = [
    ["URL/"], ["URL"], ["URL/a?b=c&d"], ["URL/a/../b/./c"], ["URL/%2e%2E/a"], ["URL/a[1]{2}"], ["URL/a%20b"],
    ["URL/ü?ä=ö"], ["URL/a//b"], ["URL/?q='x'"], ["URL/?a=$HOME`x`"], ["URL/a#fragment"], ["get", "URL/x"],
    ["head", "URL/x"], ["-I", "URL/x"], ["delete", "URL/x"], ["post", "URL/x"], ["put", "URL/x"],
    ["patch", "URL/x"], ["send", "OPTIONS", "URL/x"], ["PURGE", "URL/x"], ["-X", "REPORT", "URL/x"],
    ["-X", "GET", "URL/x", "-d", "a"], ["send", "GET", "URL/x", "-d", "a"], ["delete", "URL/x", "-d", "a=1"],
    ["-X", "post", "URL/x", "-d", "a"], ["-d", "a=1", "URL/"], ["-d", "a=1", "-d", "b=2", "URL/"],
    ["-d", "", "URL/"], ["-d", "line\nline\ttab", "URL/"], ["-d", "it's \"quoted\" $(x) \\", "URL/"],
    ["-d", "ünï", "URL/"], ["--data-raw", "@x", "URL/"], ["--data-urlencode", "a=b c&d", "URL/"],
    ["--data-urlencode", "a@a.json", "URL/"], ["--data-urlencode", "@a.json", "-d", "b=@", "URL/"],
    ["-G", "-d", "a=1", "URL/?z"], ["-d", "@a.json", "URL/"], ["-d", "@b.bin", "URL/"],
    ["-d", "@large", "URL/"], ["-T", "a.json", "URL/t"], ["-T", "b.bin", "URL/t"],
    ["upload", "large", "URL/t"],
    ["upload", "a.json", "URL/t", "--method", "POST"], ["--json", "{\"a\": [1.10, null]}", "URL/"],
    ["--json", "@a.json", "URL/"], ["put", "URL/", "--json", "[]"],
    ["--form", "a=1", "--form", "b=x y&z", "URL/"],
    ["-F", "a=1", "URL/"], ["-F", "a=1", "-F", "b=two words", "URL/"], ["URL/", "a=b"],
    ["URL/", "a=b", "n:=12345678901234567890"],
    ["URL/", "q==v w"], ["URL/", "X-A:b"], ["URL/", "X-A;"], ["URL/", "a=@a.json"], ["URL/", "a:=@a.json"],
    ["-H", "X-A: b", "URL/"], ["-H", "X-A: b", "-H", "X-A: c", "URL/"], ["-H", "x-lower: it's", "URL/"],
    ["-H", "X-Empty;", "URL/"], ["-H", "Accept: text/plain", "URL/"], ["-H", "Accept:", "URL/"],
    ["-H", "User-Agent:", "URL/"], ["-H", "Accept-Encoding:", "URL/"], ["-H", "Accept-Encoding: br", "URL/"],
    ["-H", "Content-Type:", "-d", "a", "URL/"], ["-H", "Content-Type: text/csv", "-d", "a,b", "URL/"],
    ["-H", "Host: other.test", "URL/"], ["-A", "me/1.0 (x)", "URL/"], ["-A", "", "URL/"],
    ["-F", "f=@a.json", "URL/"], ["-F", "f=@b.bin;type=image/png;filename=c.png", "-F", "a=1", "URL/"],
    ["-e", "https://from.test/", "URL/"], ["-q", "q=a&b", "URL/"], ["-q", "a=1", "-q", "b=ü", "URL/?c=d"],
    ["--http1.1", "URL/"], ["-4", "URL/"], ["-k", "URL/"],
    ["--resolve", "host.test:PORT:127.0.0.1", "http://host.test:PORT/x"],
    ["-x", "URL", "http://host.test/x?y"], ["-x", "none", "URL/"], ["--no-redirects", "URL/"],
    ["--max-redirs", "2", "URL/"],
    ["-m", "20", "URL/"], ["--connect-timeout", "3s", "URL/"], ["--limit-rate", "1M", "URL/"],
    ["-i", "URL/"],
    ["-o", "/dev/null", "URL/"], ["-o", "out", "URL/"], ["-O", "URL/out"],
    ["-F", "f=@we\"ird;n.txt", "URL/"], ["-F", #"f=@a.json;filename="q\"uo\\te""#, "URL/"],
    ["-F", #"a="[\"x\", \"\\\\\"]";type=application/json"#, "-F", "b=<a.json", "URL/"],
    ["URL/", "a=b", "f@a.json"],
    ["-T", "a.json", "URL/d/"],
    ["--pin", "PIN", "URL/"], ["--pin", "other.test=PIN", "--pin", "127.0.0.1=PIN", "URL/"],
    ["events", "URL/stream", "--last-id", "4", "--once"], ["-H", "Range: bytes=0-9", "URL/"],
    ["-H", "Expect: 100-continue", "-d", "a", "URL/"],
  ]

  @Test(arguments: cases) func `the curl command sends the same request`(arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    try folder.write("{\"a\": 1}\n", to: "a.json")
    try folder.write("text", to: "we\"ird;n.txt")
    try Data([0, 255, 10, 13, 128]).write(to: folder.file("b.bin"))
    try Data(repeating: 97, count: 3 << 20).write(to: folder.file("large"))
    let server = try MockServer()
    server.on("GET", "/stream") { _ in
      .response(fields: ["Content-Type": "text/event-stream"], body: "data: a\n\n")
    }
    server.otherwise { _ in .response() }
    let pin = "sha256/\(String(repeating: "A", count: 43))="
    let given = arguments.map {
      $0.replacing("URL", with: "http://127.0.0.1:\(server.port)").replacing("PORT", with: "\(server.port)")
        .replacing("PIN", with: pin)
    }
    let own = try await Running(Tool.path, given, in: folder.url).result()
    #expect(own.code == 0, "\(own.error)")
    for name in ["out"] { try? FileManager.default.removeItem(at: folder.file(name)) }
    let command = try await Running(Tool.path, given + ["--curl"], in: folder.url).result()
    #expect(command.code == 0 && command.error == "", "\(command.error)")
    let curl = try await Tool.shell("\(command.text.dropLast()) --silent --show-error", in: folder.url)
    #expect(curl.code == 0, "\(command.text) \(curl.error)")
    let requests = server.requests
    #expect(requests.count == 2)
    #expect(requests.first.map(described) == requests.last.map(described), "\(command.text)")
  }

  @Test func `curl sends after a redirect what errand sends`() async throws {
    let server = try MockServer()
    server.on("/away") { _ in .redirect(302, to: "/there") }
    server.otherwise { _ in .response() }
    for arguments in [["-d", "a=1"], ["-X", "PUT", "-d", "a=1"], ["-X", "DELETE"]] {
      let given = arguments + ["\(server.url("/away"))"]
      _ = try await Running(Tool.path, given).result()
      let command = try await Running(Tool.path, given + ["--curl"]).result().text.dropLast()
      _ = try await Tool.shell("\(command) --silent")
      let last = server.requests.suffix(4).map { "\($0.method) \($0.text)" }
      #expect(last.prefix(2) == last.suffix(2), "\(command)")
    }
  }

  @Test(arguments: [
    (["--pin", "other.test=sha256/\(String(repeating: "A", count: 43))=", "URL/"], "--pin"),
    (["--session", "s", "URL/"], "the cookies of --session"), (["-u", "a:b", "URL/"], "secrets"),
    (["-b", "a=1", "URL/"], "secrets"),
    (["-d", "@b.bin", "--compress", "URL/"], "--compress"),
    (["--timeout", "3s", "URL/"], "--timeout"), (["--cookies", "jar", "URL/"], "--cookies"),
    (["--form", "password=x", "URL/"], "the body"), (["-w", "x", "URL/"], "-w"),
  ])
  func `what curl cannot say is reported`(arguments: [String], reason: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "b.bin")
    let given = arguments.map { $0.replacing("URL", with: "http://127.0.0.1:9") }
    let command = try await Running(Tool.path, given + ["--curl"], in: folder.url).result()
    #expect(command.code == 0)
    #expect(command.error.contains("--curl leaves out \(reason)"), "\(command.error)")
  }

  /// The whole request. Boundaries of forms are random.
  private func described(_ request: MockRequest) -> [String] {
    let type = request.fields["Content-Type"] ?? ""
    let boundary = type.firstRange(of: "boundary=").map { String(type[$0.upperBound...]) }
    func plain(_ text: String) -> String { boundary.map { text.replacing($0, with: "BOUNDARY") } ?? text }
    let fields = request.fields.filter { boundary == nil || $0.name != "Content-Length" }
      .map { plain("\($0.name): \($0.value)") }
    let text = String(validating: request.body, as: UTF8.self)
    return ["\(request.method) \(request.target)"] + (boundary == nil ? fields : fields.sorted())
      + [text.map(plain) ?? plain(String(decoding: request.body, as: UTF8.self))]
  }
}
