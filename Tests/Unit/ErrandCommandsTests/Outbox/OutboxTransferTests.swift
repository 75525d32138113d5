import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct OutboxTransferTests {
  private func store(_ server: MockServer, _ path: String, _ body: String, in folder: URL) async throws {
    let result = try await Tool.run(
      "post", "\(server.url(path))", "-d", body, "--guaranteed", "--detach", "--lane", path, "--store", "a",
      in: folder)
    #expect(result.code == 0, "\(result.error)")
  }

  @Test func `a request that is exported and imported elsewhere is delivered from there`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response() }
    try await TemporaryFolder.using { folder in
      try Data(repeating: 7, count: 1_000_000).write(to: folder.appendingPathComponent("large"))
      try await store(server, "/one", "hello", in: folder)
      try await store(server, "/two", "@large", in: folder)
      let exported = try await Tool.shell("$errand outbox export --store a > FILE", in: folder)
      #expect(exported.code == 0 && exported.error == "* exported: 2\n")
      let imported = try await Tool.run("outbox", "import", "FILE", "--store", "b", in: folder)
      #expect(imported.code == 0 && imported.text == "stored: 2\n" && imported.error == "")
      let again = try await Tool.shell(
        "$errand outbox export --store a | $errand outbox import - --store b --output json", in: folder)
      #expect(again.text == "{\"known\":2,\"stored\":0}\n")
      let piped = try await Tool.shell(
        "mkfifo pipe; cat FILE > pipe & $errand outbox import pipe --store c", in: folder)
      #expect(piped.code == 0 && piped.text == "stored: 2\n", "\(piped.error)")
      #expect(try await Tool.run("outbox", "run", "--until-empty", "--store", "b", in: folder).code == 0)
      #expect(server.requests.first { $0.path == "/one" }?.text == "hello")
      #expect(server.requests.first { $0.path == "/two" }?.body == Data(repeating: 7, count: 1_000_000))
      #expect(server.requests.count == 2)
    }
  }

  @Test func `a selection is exported, by lane, state or ID`() async throws {
    let server = try MockServer()
    try await TemporaryFolder.using { folder in
      for path in ["/one", "/two"] { try await store(server, path, "x", in: folder) }
      func urls(_ options: String) async throws -> [String] {
        let result = try await Tool.shell("$errand outbox export --store a \(options)", in: folder)
        #expect(result.code == 0)
        let heads = result.text.split(separator: "\n").filter { $0.contains("errand-outbox") }
        return heads.compactMap { head in ["/one", "/two"].first { head.contains("\($0)\"") } }
      }
      #expect(try await urls("") == ["/one", "/two"])
      #expect(try await urls("--lane /two") == ["/two"])
      #expect(try await urls("--state dead-letter") == [])
      #expect(try await urls("--state stored --lane /one") == ["/one"])
      let ids = try await Tool.shell("$errand outbox list --store a --output json", in: folder).text
      let id = try #require(ids.firstMatch(of: /"id":"([^"]+)"/)).1
      #expect(try await urls(String(id.suffix(8))) == ["/one"])
    }
  }

  @Test func `a failed export or import is reported`() async throws {
    try await TemporaryFolder.using { folder in
      let nothing = try await Tool.run("outbox", "export", "--store", "a", in: folder)
      #expect(nothing.code == 6 && nothing.error.contains("nothing has been stored in a yet"))
      let missing = try await Tool.run("outbox", "import", "FILE", "--store", "b", in: folder)
      #expect(missing.code == 6 && missing.error.contains("FILE"))
      try Data("{}\n".utf8).write(to: folder.appendingPathComponent("FILE"))
      let broken = try await Tool.run("outbox", "import", "FILE", "--store", "b", in: folder)
      #expect(broken.code == 6 && broken.error.hasPrefix("errand: line 1: "))
      let json = try await Tool.run(
        "outbox", "import", "FILE", "--store", "b", "--output", "json", in: folder)
      #expect(json.code == 6 && json.text.contains("\"code\":\"badImport\""))
    }
  }
}
