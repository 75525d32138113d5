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
    ["-o", "/dev/null", "URL/"], ["-H", "Range: bytes=0-9", "URL/"],
    ["-H", "Expect: 100-continue", "-d", "a", "URL/"],
  ]

  @Test(arguments: cases) func `the curl command sends the same request`(arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    try folder.write("{\"a\": 1}\n", to: "a.json")
    try Data([0, 255, 10, 13, 128]).write(to: folder.file("b.bin"))
    try Data(repeating: 97, count: 3 << 20).write(to: folder.file("large"))
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let given = arguments.map {
      $0.replacing("URL", with: "http://127.0.0.1:\(server.port)").replacing("PORT", with: "\(server.port)")
    }
    let own = try await Running(Tool.path, given, in: folder.url).result()
    #expect(own.code == 0, "\(own.error)")
    let command = try await Running(Tool.path, given + ["--curl"], in: folder.url).result()
    #expect(command.code == 0 && command.error == "", "\(command.error)")
    let curl = try await Tool.shell("\(command.text.dropLast()) --silent --show-error", in: folder.url)
    #expect(curl.code == 0, "\(command.text) \(curl.error)")
    let requests = server.requests
    #expect(requests.count == 2)
    #expect(requests.first.map(described) == requests.last.map(described), "\(command.text)")
  }

  @Test(arguments: [
    (["-u", "a:b", "URL/"], "secrets"), (["-b", "a=1", "URL/"], "secrets"),
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
