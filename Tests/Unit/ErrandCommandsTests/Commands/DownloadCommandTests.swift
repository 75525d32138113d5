import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite struct DownloadCommandTests {
  private static let film = Data.seeded(300_000)

  @Test func `a file name from the URL never replaces a file, and a name from the user does`() async throws {
    let server = try MockServer()
    server.on("GET", "/film") { _ in .response(body: Self.film) }
    try await TemporaryFolder.using { folder in
      let file = folder.appendingPathComponent("film")
      try Data("mine".utf8).write(to: file)
      let refused = try await Tool.run("download", "\(server.url("/film"))", in: folder)
      #expect(refused.code == 6)
      #expect(refused.error.contains("film already exists"))
      #expect(server.requests.isEmpty)
      #expect(try Data(contentsOf: file) == Data("mine".utf8))
      #expect(try await Tool.run("download", "\(server.url("/film"))", "-o", "film", in: folder).code == 0)
      #expect(try Data(contentsOf: file) == Self.film)
    }
  }

  @Test func `an error response does not change the file, and is shown on standard error`() async throws {
    let server = try MockServer()
    server.on("GET", "/film") { _ in .response(status: 404, body: "no film\n") }
    try await TemporaryFolder.using { folder in
      let file = folder.appendingPathComponent("film")
      try Data("mine".utf8).write(to: file)
      let result = try await Tool.run("get", "\(server.url("/film"))", "-o", "film", in: folder)
      #expect(result.code == 1)
      #expect(result.text == "" && result.error.hasPrefix("no film\nerrand: "))
      let other = try await Tool.run(
        "\(server.url("/film"))", "-o", "other", "-w", "%{http_code}", in: folder)
      #expect(other.text == "404" && other.code == 1)
      #expect(try Data(contentsOf: file) == Data("mine".utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["film"])
    }
  }

  @Test func `--resume of a file that is complete is a success, and the file stays`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(body: "whole") }
    let folder = try TemporaryFolder()
    for arguments in [["download", "URL"], ["download", "URL", "-o", "film"]] {
      try folder.write("WHOLE", to: "film")
      let given = arguments.map { $0 == "URL" ? "\(server.url("/film"))" : $0 } + ["--resume"]
      let result = try await Running(Tool.path, given, in: folder.url).result()
      #expect(result.code == 0)
      #expect(result.error == "errand: film is complete already\n")
      #expect(try String(contentsOf: folder.file("film"), encoding: .utf8) == "WHOLE")
    }
    server.otherwise { _ in
      .response(fields: ["Last-Modified": "Tue, 01 Jan 2999 00:00:00 GMT"], body: "newer")
    }
    let newer = try await Tool.run(
      "download", "\(server.url("/film"))", "-o", "film", "--resume", in: folder.url)
    #expect(newer.code == 0)
    #expect(try String(contentsOf: folder.file("film"), encoding: .utf8) == "newer")
    try folder.write("part", to: "film")
    #expect(try await Tool.run("download", "\(server.url("/film"))", "--resume", in: folder.url).code == 6)
  }

  @Test func `an interrupted download is resumed`() async throws {
    let server = try MockServer()
    server.on("GET", "/film") { request in
      let response = MockResponse.file(Self.film, etag: "\"1\"", for: request)
      return request.index == 0 ? response.closing(at: .body(100_000)) : response
    }
    try await TemporaryFolder.using { folder in
      // A machine that is busy with other tests may respond slowly.
      func download() async throws -> Tool.Result {
        try await Tool.run("download", "\(server.url("/film"))", "--resume", "--timeout", "60s", in: folder)
      }
      let cut = try await download()
      #expect(cut.code == 5)
      #expect(cut.error.contains("the same command continues"))
      #expect(try await download().code == 0)
      #expect(try Data(contentsOf: folder.appendingPathComponent("film")) == Self.film)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["film"])
    }
    #expect(server.requests.last?.fields["Range"] == "bytes=100000-")
  }

  @Test func `control-C leaves nothing behind`() async throws {
    let server = try MockServer()
    server.on("GET", "/film") { _ in .response(body: Self.film).stalling(at: .body(100_000)) }
    try await TemporaryFolder.using { folder in
      let running = try Tool.start("download", "\(server.url("/film"))", in: folder)
      try await server.waitForRequests(1)
      running.send(SIGINT)
      #expect(try await running.result().code == 130)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test func `the body of an error response goes to a device, like any other`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(status: 404, body: "missing") }
    let url = "\(server.url("/"))"
    for options in [[], ["--retry", "1"], ["--cache", "kept"]] {
      let folder = try TemporaryFolder()
      let arguments = ["-s", "-o", "/dev/null", "-w", "%{http_code}", url] + options
      let result = try await Running(Tool.path, arguments, in: folder.url).result()
      #expect(result.text == "404" && result.code == 1 && !result.error.contains("missing"))
    }
  }

  @Test func `-f prints no body of an error status, and --fail-with-body prints it`() async throws {
    let server = try MockServer()
    server.on("GET", "/ok") { _ in .response(body: "ok") }
    server.otherwise { _ in .response(status: 404, body: "missing") }
    let url = "\(server.url("/"))"
    let hidden = try await Tool.run("-fsSL", url)
    #expect(hidden.text == "" && hidden.code == 1 && hidden.error.hasPrefix("errand: "))
    #expect(try await Tool.run("-f", "-o", "x", url).error.hasPrefix("errand: "))
    #expect(try await Tool.run("-f", "--fail-with-body", url).text == "missing")
    #expect(try await Tool.run("--fail-with-body", "-f", url).text == "")
    #expect(try await Tool.run("-f", "\(server.url("/ok"))").text == "ok")
  }

  @Test func `a name that was not chosen replaces no file that appears meanwhile`() async throws {
    let server = try MockServer()
    let folder = try TemporaryFolder()
    server.otherwise { _ in
      try? folder.write("mine", to: "film")
      return .response(body: Self.film)
    }
    let result = try await Running(Tool.path, ["-O", "\(server.url("/film"))"], in: folder.url).result()
    #expect(result.code == 6 && result.error.contains("film already exists and was not changed"))
    #expect(try String(contentsOf: folder.file("film"), encoding: .utf8) == "mine")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["film"])
  }

  @Test func `of several responses with one name at once, one is written and the others are errors`()
    async throws
  {
    let server = try MockServer()
    server.otherwise { .response(body: $0.path) }
    let folder = try TemporaryFolder()
    let urls = ["/a/same", "/b/same", "/c/same"].map { "\(server.url($0))" }
    let result = try await Running(Tool.path, ["-O", "-Z"] + urls, in: folder.url).result()
    #expect(result.code == 6)
    #expect(result.error.split(separator: "\n").count { $0.contains("same already exists") } == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["same"])
  }

  @Test func `a tilde in a name is a character like any other`() async throws {
    let server = try MockServer()
    server.on("GET", "/named") { _ in
      .response(fields: ["Content-Disposition": "attachment; filename=\"~nobody\""], body: "named")
    }
    server.otherwise { .response(body: $0.method == "GET" ? "text" : $0.text) }
    let folder = try TemporaryFolder()
    func run(_ arguments: String...) async throws -> Tool.Result {
      try await Running(Tool.path, arguments, in: folder.url).result()
    }
    for (arguments, name) in [
      (["-O", "\(server.url("/%7Eroot"))"], "~root"), (["-O", "\(server.url("/named"))"], "~nobody"),
      (["-o", "~/f", "\(server.url("/"))"], "~/f"), (["download", "\(server.url("/~"))"], "~d"),
      (["download", "\(server.url("/~d"))", "--resume"], "~d"),
    ] {
      try FileManager.default.createDirectory(at: folder.file("~"), withIntermediateDirectories: true)
      let result = try await Running(Tool.path, arguments, in: folder.url).result()
      if name == "~d", arguments.count == 2 {
        // The folder of this name is there.
        #expect(result.code == 6 && result.error.contains("~ already exists"))
        continue
      }
      #expect(result.code == 0, "\(result.error)")
      #expect(FileManager.default.fileExists(atPath: folder.path(name)), "\(name)")
    }
    try folder.write("sent", to: "~t")
    #expect(try await run("-d", "@~t", "\(server.url("/"))").text == "sent")
    #expect(try await run("-F", "a=@~t", "\(server.url("/"))").text.contains("sent"))
    #expect(
      try await run("--cookies", "~c", "--har", "~h", "--trace", "~r", "--cache", "~k", "\(server.url("/"))")
        .code == 0)
    for name in ["~h", "~r"] { #expect(FileManager.default.fileExists(atPath: folder.path(name))) }
  }

  @Test func `download writes to a device without replacing it`() async throws {
    let server = try MockServer()
    server.on("GET", "/film") { _ in .response(body: "film") }
    #expect(try await Tool.run("get", "\(server.url("/film"))", "-o", "/dev/stdout").text == "film")
  }
}
