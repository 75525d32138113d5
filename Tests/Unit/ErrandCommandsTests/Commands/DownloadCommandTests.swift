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

  @Test func `an error response does not change the file, and is printed`() async throws {
    let server = try MockServer()
    server.on("GET", "/film") { _ in .response(status: 404, body: "no film") }
    try await TemporaryFolder.using { folder in
      let file = folder.appendingPathComponent("film")
      try Data("mine".utf8).write(to: file)
      let result = try await Tool.run("get", "\(server.url("/film"))", "-o", "film", in: folder)
      #expect(result.code == 1)
      #expect(result.text == "no film")
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

  @Test func `download writes to a device without replacing it`() async throws {
    let server = try MockServer()
    server.on("GET", "/film") { _ in .response(body: "film") }
    #expect(try await Tool.run("get", "\(server.url("/film"))", "-o", "/dev/stdout").text == "film")
  }
}
