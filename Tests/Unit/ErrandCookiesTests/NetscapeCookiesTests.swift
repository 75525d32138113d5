import Foundation
import Programs
import TestSupport
import Testing

@testable import ErrandCookies
@testable import ErrandCore

/// cookies.txt in the form that curl, wget and browsers' exporters write.
@Suite struct NetscapeCookiesTests {
  private static let head = "# Netscape HTTP Cookie File"
  private static let later = 4_000_000_000

  private let folder: TemporaryFolder
  private let log = CookieProblemLog()
  private var file: URL { folder.file("cookies.txt") }

  init() throws { folder = try TemporaryFolder() }

  private static func line(
    _ domain: String = "example.com", _ below: String = "FALSE", _ path: String = "/",
    _ secure: String = "FALSE",
    _ expires: String = "\(later)", _ name: String = "a", _ value: String = "1"
  ) -> String {
    [domain, below, path, secure, expires, name, value].joined(separator: "\t")
  }

  private func read(_ text: String) -> NetscapeCookies? {
    NetscapeCookies(Data(text.utf8), dated: Date(timeIntervalSince1970: 1_000_000))
  }

  private func cookie(_ line: String) -> Cookie? { read("\(Self.head)\n\(line)\n")?.entries.first?.cookie }

  private func store() -> CookieStore { CookieStore(file: file, onProblem: log.add) }

  private var text: String { get throws { try String(contentsOf: file, encoding: .utf8) } }

  // MARK: The format

  @Test func `each line is a cookie`() {
    let date = Date(timeIntervalSince1970: Double(Self.later))
    #expect(
      cookie(Self.line("example.com", "FALSE", "/x", "TRUE", "\(Self.later)", "id", "a=b c"))
        == Cookie("id", "a=b c", domain: "example.com", path: "/x", expires: date, isSecure: true))
    #expect(
      cookie(Self.line("#HttpOnly_.Example.com", "TRUE", "/", "FALSE", "0", "id", ""))
        == Cookie("id", "", domain: "example.com", isHostOnly: false, isSecure: false, isHTTPOnly: true))
    // The flag counts, and not the dot.
    #expect(cookie(Self.line("example.com", "true"))?.isHostOnly == false)
    #expect(cookie(Self.line(".example.com", "FALSE"))?.isHostOnly == true)
    // A lost tab before an empty value, a fraction, and a Windows line end.
    #expect(cookie(Self.line().split(separator: "\t").dropLast().joined(separator: "\t"))?.value == "")
    #expect(
      cookie(Self.line("example.com", "FALSE", "/", "FALSE", "1790000000.75"))?.expires?.timeIntervalSince1970
        == 1_790_000_000)
    #expect(cookie(Self.line() + "\r")?.value == "1")
  }

  @Test(arguments: [
    "# Netscape HTTP Cookie File", "# HTTP Cookie File", "# netscape http cookie file v1",
    "# Netscape HTTP Cookie File\r",
  ])
  func `a file is recognized by its first line`(head: String) {
    #expect(read(head)?.entries.isEmpty == true)
    #expect(read("\(head)\n\n# notes\nnonsense\n\(Self.line())\n")?.entries.count == 1)
  }

  @Test func `a file without that line is recognized if all its lines are cookies or comments`() {
    #expect(read(Self.line())?.entries.count == 1)
    #expect(read("# notes\n\n\(Self.line())\n#HttpOnly_\(Self.line())\n")?.entries.count == 2)
    for other in [
      "", "\n", "# notes\n", "a b c\n", "\(Self.line())\nnonsense\n", Self.line("example.com", "1"),
      Self.line("example.com", "TRUE", "/", "no"), Self.line("example.com", "TRUE", "/", "TRUE", "soon"),
      Self.line() + "\tmore", "-----BEGIN PRIVATE KEY-----\n", "{\"errand\":\"cookies\"}\n",
    ] {
      #expect(read(other) == nil, "\(other)")
    }
  }

  @Test func `cookies are written as they were read, in their order, with all other lines`() throws {
    let lines = [
      Self.head, "# https://curl.se/docs/http-cookies.html", "nonsense",
      // No store sends these.
      Self.line("example.com", "FALSE", "/", "FALSE", "0", "__Host-a", "1"), Self.line("", "FALSE"),
      Self.line("b.example.com", "FALSE", "/x", "TRUE", "0", "session", "v"),
      Self.line("#HttpOnly_.example.com", "TRUE", "/", "FALSE", "\(Self.later)", "a", "1"),
    ]
    let text = lines.joined(separator: "\n") + "\n"
    let cookies = try #require(read(text))
    #expect(cookies.entries.map(\.cookie.name) == ["session", "a"])
    #expect(
      String(decoding: NetscapeCookies.data(of: cookies.entries, rest: cookies.rest), as: UTF8.self) == text)
    // Without cookies only the comments remain.
    #expect(
      String(decoding: NetscapeCookies.data(of: [], rest: cookies.rest), as: UTF8.self)
        == lines.prefix(2).joined(separator: "\n") + "\n")
  }

  // MARK: In a store

  @Test func `a store sends the cookies of a cookies.txt, and writes new ones to it`() async throws {
    let text =
      "\(Self.head)\n# notes\n\(Self.line("example.com", "FALSE", "/", "FALSE", "0", "session", "s"))\n"
    try folder.write(text, to: "cookies.txt")
    chmod(file.path, 0o640)
    let url = try #require(URL(string: "https://example.com/"))
    let store = store()
    #expect(try !store.hasForeignFile)
    #expect(store.field(for: url, at: Date()) == "session=s")
    store.take(
      ["Set-Cookie": "id=5; Max-Age=1000; HttpOnly; Secure; Domain=example.com"], from: url, at: Date())
    try await store.flush()
    let lines = try self.text.split(separator: "\n").map(String.init)
    #expect(lines.prefix(3).joined(separator: "\n") + "\n" == text)
    #expect(lines.count == 4)
    #expect(lines.last?.hasPrefix("#HttpOnly_.example.com\tTRUE\t/\tTRUE\t") == true)
    #expect(lines.last?.hasSuffix("\tid\t5") == true)
    #expect(FileDescriptor.permissions(of: file.path) == 0o640)
    #expect(self.store().cookies.map(\.name) == ["session", "id"])
    #expect(log.problems.isEmpty)
  }

  @Test func `a value with a tab is not written, because it could not be read back`() async throws {
    try "\(Self.head)\n".write(to: file, atomically: true, encoding: .utf8)
    let store = store()
    let url = URL(string: "https://example.com/")!
    store.take(["Set-Cookie": "a=b\tc; Max-Age=1000"], from: url, at: Date())
    try await store.set(Cookie("d", "e", domain: "example.com"))
    #expect(store.cookies.map(\.name).sorted() == ["a", "d"])
    #expect(try !text.contains("b\tc"))
    #expect(self.store().cookies.map(\.name) == ["d"])
  }

  @Test func `cookies beyond the limits remain in the file`() async throws {
    let lines = (0..<120).map {
      Self.line("a.example", "FALSE", "/", "FALSE", "\(Self.later)", "n\($0)", "v")
    }
    try ([Self.head] + lines).joined(separator: "\n").appending("\n").write(
      to: file, atomically: true, encoding: .utf8)
    let store = store()
    try await store.set(Cookie("d", "e", domain: "example.com"))
    #expect(store.cookies.count == 51)
    let written = try Set(text.split(separator: "\n").map(String.init))
    #expect(lines.allSatisfy(written.contains))
    #expect(written.count == 122)
  }

  @Test func `clear leaves a cookies.txt without cookies`() async throws {
    try folder.write("\(Self.head)\n# notes\n\(Self.line())\n", to: "cookies.txt")
    let store = store()
    #expect(store.cookies.count == 1)
    try await store.clear()
    #expect(try text == "\(Self.head)\n# notes\n")
    try await store.set(Cookie("b", "2", domain: "example.com"))
    #expect(try text.hasPrefix("\(Self.head)\n# notes\nexample.com\tFALSE\t/\tTRUE\t0\tb\t2"))
  }

  @Test func `a cookies.txt that curl changes meanwhile is read, and curl reads Errand's version`()
    async throws
  {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") else { return }
    try folder.write("\(Self.head)\n", to: "cookies.txt")
    let store = store()
    try await store.set(Cookie("a", "1", domain: "localhost", expires: Date() + 1000, isSecure: false))
    // curl reads the file, and writes it again.
    try await Program.output(
      of: "curl",
      ["-s", "-b", "cookies.txt", "-c", "cookies.txt", "file://\(folder.path("cookies.txt"))"], in: folder.url
    )
    #expect(try text.contains("curl"))
    #expect(store.cookies.map(\.name) == ["a"])
    try await store.set(Cookie("b", "2", domain: "localhost", isSecure: false))
    #expect(self.store().cookies.map(\.name) == ["a", "b"])
    #expect(log.problems.isEmpty)
  }
}
