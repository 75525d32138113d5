import Errand
import ErrandTesting
import Foundation
import Testing

@testable import MirrorFiles

@Suite(.timeLimit(.minutes(1))) struct MirrorFilesTests {
  private let folder = URL.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString)")
  private let server: MockServer

  init() throws {
    server = try MockServer()
    page("/list", ["a", "b"], next: "/list2")
    page("/list2", ["c"])
    for name in ["a", "b", "c"] { file(name, Data("file \(name)".utf8), etag: "\"\(name)1\"") }
  }

  private func page(_ path: String, _ names: [String], next: String? = nil) {
    let items = names.map { Item(name: $0, url: "/files/\($0)") }
    server.on("GET", path) { _ in
      var fields: HTTPFields = ["Content-Type": "application/json"]
      if let next { fields["Link"] = "<\(next)>; rel=\"next\"" }
      return .response(fields: fields, json: items)
    }
  }

  private func file(_ name: String, _ data: Data, etag: String) {
    server.on("GET", "/files/\(name)") { request in
      request.fields["If-None-Match"] == etag ? .response(status: 304) : .file(data, etag: etag, for: request)
    }
  }

  private func run() async throws -> FolderMirror.Summary {
    let client = MirrorFiles.makeClient(cache: folder.appending(path: ".pages"))
    let summary = try await FolderMirror(client: client, folder: folder).run(server.url("/list"))
    await client.shutdown()
    return summary
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  @Test func `the second run transfers only what has changed`() async throws {
    #expect(try await run() == .init(pages: 2, downloaded: 3))
    #expect(try text("c") == "file c")
    file("b", Data("changed".utf8), etag: "\"b2\"")
    page("/list2", [])
    let second = try await run()
    #expect(second == .init(pages: 2, downloaded: 1, unchanged: 1, removed: 1))
    #expect(try text("b") == "changed")
  }

  @Test func `a busy server is asked again, and a cut file is continued`() async throws {
    let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    server.on("GET", "/files/b") { request in
      request.fields["Range"] == nil
        ? .file(large, etag: "\"b1\"", for: request).closing(at: .body(100_000))
        : .file(large, etag: "\"b1\"", for: request)
    }
    server.script(
      "GET", "/files/a", [.response(status: 429, fields: ["Retry-After": "1"]), .response(body: "file a")])
    #expect(try await run().downloaded == 3)
    #expect(try Data(contentsOf: folder.appending(path: "b")) == large)
    #expect(server.requests.contains { $0.path == "/files/b" && $0.fields["Range"] == "bytes=100000-" })
  }

  @Test func `a name that leaves the folder ends the run, and removes nothing`() async throws {
    _ = try await run()
    page("/list2", ["../escaped"])
    await #expect(throws: FolderMirror.BadName.self) { try await run() }
    #expect(try text("c") == "file c")
  }
}
