import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite struct CacheCommandTests {
  private let server: MockServer
  private let folder: TemporaryFolder

  init() throws {
    server = try MockServer()
    folder = try TemporaryFolder()
    server.on("GET", "/a") { request in
      request.fields["If-None-Match"] == "\"1\""
        ? .response(status: 304)
        : .response(
          fields: ["Cache-Control": "max-age=600", "ETag": "\"1\"", "Set-Cookie": "id=s3cret"], body: "text")
    }
    server.on("GET", "/missing") { _ in
      .response(status: 404, fields: ["Cache-Control": "max-age=600"], body: "no")
    }
    server.on("POST", "/a") { _ in .response() }
  }

  private var cache: String { folder.url.appending(path: "cache").path }

  private func get(_ path: String, _ more: String...) async throws -> Tool.Result {
    try await Tool.shell(
      "$errand get \(server.url(path)) --cache \(cache) -v \(more.joined(separator: " "))", in: folder.url)
  }

  @Test func `a response is kept in the folder, used by later processes, and validated on request`()
    async throws
  {
    let first = try await get("/a")
    #expect(
      first.text == "text" && first.error.contains("* cache: Errand; fwd=uri-miss; fwd-status=200; stored"))
    let second = try await get("/a")
    #expect(second.text == "text" && second.error.contains("* cache: Errand; hit; ttl="))
    let third = try await get("/a", "-H 'Cache-Control: no-cache'")
    #expect(third.text == "text" && third.error.contains("fwd=request; fwd-status=304; stored"))
    #expect(server.requests.count == 2)
    _ = try await Tool.run("post", "\(server.url("/a"))", "--cache", cache)
    #expect(try await get("/a").error.contains("fwd=uri-miss"))
  }

  @Test func `an error response is kept and shown whole`() async throws {
    for _ in 0..<2 {
      let result = try await get("/missing")
      #expect(result.code == 1 && result.text == "no")
    }
    #expect(server.requests.count == 1)
  }

  @Test func `the responses are listed, shown and removed, without secrets`() async throws {
    _ = try await get("/a")
    _ = try await get("/missing")
    let list = try await Tool.run("cache", "list", cache)
    #expect(
      list.code == 0 && list.text.contains("STATUS") && list.text.contains("/missing")
        && list.text.contains("9m"))
    let json = try await Tool.run("cache", "list", cache, "--output", "json")
    #expect(json.text.contains("\"why\":\"fresh\"") && !json.text.contains("s3cret"))
    let shown = try await Tool.run("cache", "show", cache, "\(server.url("/a"))")
    #expect(
      shown.text.contains("ETag: \"1\"") && shown.text.contains("fresh for 9m")
        && !shown.text.contains("s3cret"))
    #expect(try await Tool.run("cache", "remove", cache, "\(server.url("/a"))").code == 0)
    let gone = try await Tool.run("cache", "show", cache, "\(server.url("/a"))")
    #expect(gone.code == 2 && gone.error.contains("errand cache list"))
    #expect(try await Tool.run("cache", "clear", cache).error.contains("1 response was removed"))
    #expect(try await Tool.run("cache", "list", cache).text.split(separator: "\n").count == 1)
  }

  @Test func `a folder that is missing or foreign is reported`() async throws {
    #expect(try await Tool.run("cache", "list", "\(cache)/none").error.contains("there is no such folder"))
    #expect(try await Tool.run("cache", "show", cache).code == 2)
    try Data("mine".utf8).write(to: URL(filePath: cache))
    let result = try await get("/a")
    #expect(result.code == 0 && result.text == "text" && result.error.contains("the cache failed"))
    #expect(try Data(contentsOf: URL(filePath: cache)) == Data("mine".utf8))
    let refused = try await Tool.run("get", "\(server.url("/a"))", "--cache", cache, "--guaranteed")
    #expect(refused.code == 2 && refused.error.contains("--cache cannot be combined with --guaranteed"))
  }
}
