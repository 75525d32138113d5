import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct OutboxCommandTests {
  private struct Listing: Decodable {
    struct Item: Decodable {
      let id: String
      let sequence: Int64
      let state: String
      let lane: String?
      let url: String
      let attempts: Int
      let created: String
    }
    let store: String
    let requests: [Item]
  }

  private func outbox(_ arguments: String..., in folder: URL) async throws -> Tool.Result {
    try await Running(Tool.path, ["outbox"] + arguments + ["--store", "box"], in: folder).result()
  }

  private func list(_ arguments: String..., in folder: URL) async throws -> [Listing.Item] {
    let result = try await Running(
      Tool.path, ["outbox", "list", "--output", "json", "--store", "box"] + arguments, in: folder
    ).result()
    #expect(result.code == 0 && result.error == "")
    return try JSONDecoder().decode(Listing.self, from: result.output).requests
  }

  private func store(_ url: String, lane: String, in folder: URL) async throws -> String {
    let result = try await Tool.run(
      "post", url, "--guaranteed", "--detach", "--lane", lane, "--store", "box", in: folder)
    #expect(result.code == 0)
    return result.text.trimmingCharacters(in: .newlines)
  }

  @Test func `a missing folder is reported as empty, and is not created`() async throws {
    try await TemporaryFolder.using { folder in
      let plain = try await outbox("list", in: folder)
      #expect(
        plain.code == 0 && plain.text == "" && plain.error.contains("Nothing has been stored in box yet"))
      #expect(try await list(in: folder).isEmpty)
      #expect(try await outbox("stats", in: folder).text.contains("stored       0"))
      #expect(try await outbox("show", "x", in: folder).code == 6)
      #expect(try await outbox("pause", in: folder).code == 6)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test func `an unreadable folder is not reported as empty`() async throws {
    try await TemporaryFolder.using { folder in
      // Root may read every folder, but not through a loop of links.
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/box", withDestinationPath: folder.path + "/box")
      for command in ["list", "stats"] {
        let result = try await outbox(command, in: folder)
        #expect(result.code == 6 && result.text == "" && result.error.contains("box"), "\(result.error)")
      }
      let health = try await outbox("health", in: folder)
      #expect(health.code != 0 && health.text.hasPrefix("unhealthy: "))
    }
  }

  @Test func `a request whose id cannot be printed is stored, and the error names it`() async throws {
    try await TemporaryFolder.using { folder in
      let result = try await Tool.shell(
        "$errand post http://127.0.0.1:9/ --guaranteed --detach --store box >&-", in: folder)
      #expect(result.code == 6)
      let id = try #require(try await list(in: folder).first?.id)
      #expect(result.error.contains("the request was stored as \(id)"))
    }
  }

  @Test func `stats count the requests in each state and lane, and list pauses and holds`() async throws {
    let (server, busy) = (try MockServer(), try MockServer())
    server.on("POST", "/") { _ in .response() }
    server.on("POST", "/bad") { _ in .response(status: 400) }
    busy.otherwise { _ in .response(status: 503, fields: ["Retry-After": "7200"]) }
    try await TemporaryFolder.using { folder in
      let urls = [server.url("/"), server.url("/bad"), busy.url("/"), server.url("/")]
      for (url, lane) in zip(urls, ["a", "b", "c", "paused"]) {
        _ = try await store("\(url)", lane: lane, in: folder)
      }
      #expect(try await outbox("pause", "--lane", "paused", in: folder).code == 0)
      #expect(try await outbox("run", "--once", in: folder).code == 7)
      let lines = try await outbox("stats", in: folder).text.split(separator: "\n").map(String.init)
      try #require(lines.count == 15)
      #expect(
        lines.prefix(6) == [
          "stored        2", "attempting    0", "delivered     1", "dead-letter   1", "expired       0",
          "dropped       0",
        ])
      #expect(lines[6].hasPrefix("bytes         ") && lines[7].hasPrefix("in all        "))
      #expect(lines[8].hasPrefix("oldest        ") && lines[9].hasPrefix("next attempt  in "))
      #expect(lines[10] == "the lane paused is paused")
      let held = "http://127.0.0.1:\(busy.port)"
      #expect(lines[11].hasPrefix("held: \(held), next attempt in "))
      #expect(lines[11].hasSuffix(": the server responded with 503 Service Unavailable, with Retry-After"))
      let lanes = lines.dropFirst(12).map { String($0.prefix { $0 != "," }) }
      #expect(lanes == ["lane b: 1 dead-letter", "lane c: 1 stored", "lane paused: 1 stored"])
      let json = try await outbox("stats", "--output", "json", in: folder).text
      #expect(json.contains(#"{"counts":{"dead-letter":1},"lane":"b","oldest":""#))
      #expect(json.contains(#""pausedLanes":["paused"]"#) && json.contains(#""origin":"\#(held)""#))
    }
  }

  @Test func `a listing is filtered and paged`() async throws {
    try await TemporaryFolder.using { folder in
      var ids: [String] = []
      for lane in ["a", "b", "a"] {
        ids.append(try await store("http://127.0.0.1:1/?page=1", lane: lane, in: folder))
      }
      let all = try await list(in: folder)
      try #require(all.map(\.id) == ids && all.map(\.lane) == ["a", "b", "a"])
      #expect(all.allSatisfy { $0.state == "stored" && $0.attempts == 0 && $0.created.hasSuffix("Z") })
      #expect(try await list("--lane", "a", in: folder).map(\.id) == [ids[0], ids[2]])
      #expect(
        try await list("--limit", "1", "--after", "\(all[0].sequence)", in: folder).map(\.id) == [ids[1]])
      #expect(try await list("--limit", "1", "--after", ids[0], in: folder).map(\.id) == [ids[1]])
      // With a hyphen, so that it is not a number.
      #expect(try await list("--after", String(ids[1].suffix(13)), in: folder).map(\.id) == [ids[2]])
      let first = try await outbox("list", "--limit", "2", in: folder)
      #expect(first.error == "* more requests follow: --after \(ids[1])\n")
      #expect(try await outbox("list", "--limit", "1", "--after", ids[1], in: folder).error == "")
      let json = try await outbox("list", "--limit", "2", "--output", "json", in: folder)
      #expect(json.error == "" && json.text.contains(#""next":"\#(ids[1])""#))
      #expect(try await list("--state", "delivered", in: folder).isEmpty)
      let plain = try await outbox("list", in: folder)
      #expect(plain.text.split(separator: "\n").count == 4 && plain.text.hasPrefix("ID "))
    }
  }

  @Test func `a request can be named by the beginning or the end of its ID`() async throws {
    try await TemporaryFolder.using { folder in
      let id = try await store("http://127.0.0.1:1/path", lane: "a", in: folder)
      for part in [id.prefix(6), id.suffix(6)] {
        let plain = try await outbox("show", String(part), in: folder)
        #expect(
          plain.code == 0 && plain.text.contains(id) && plain.text.contains("POST http://127.0.0.1:1/path"))
      }
      let unknown = try await outbox("show", "nothing", in: folder)
      #expect(unknown.code == 2 && unknown.error.contains("the outbox has no request \"nothing\""))
      _ = try await store("http://127.0.0.1:1/path", lane: "a", in: folder)
      // IDs begin with their time.
      let both = try await outbox("show", String(id.prefix(6)), in: folder)
      #expect(both.code == 2 && both.error.contains("several"))
    }
  }

  @Test func `a request is found by its ID in the table, even if all were enqueued at the same time`()
    async throws
  {
    try await TemporaryFolder.using { folder in
      var ids: [String] = []
      for _ in 1...3 { ids.append(try await store("http://127.0.0.1:1/path", lane: "a", in: folder)) }
      let rows = try await outbox("list", in: folder).text.split(separator: "\n").dropFirst()
      let shown = rows.compactMap { $0.split(separator: " ").first.map(String.init) }
      #expect(shown.map(\.count) == [8, 8, 8])
      for (id, name) in zip(ids, shown) {
        #expect(try await outbox("show", name, in: folder).text.contains(id))
      }
    }
  }

  @Test func `a dead letter is retried manually, and then delivered`() async throws {
    let server = try MockServer()
    server.script("/", [.response(status: 400), .response(body: "welcome")])
    try await TemporaryFolder.using { folder in
      let id = try await store("\(server.url("/"))", lane: "a", in: folder)
      #expect(try await outbox("run", "--until-empty", in: folder).code == 7)
      #expect(try await outbox("retry", id, in: folder).text.hasPrefix("retried: \(id)"))
      #expect(try await outbox("run", "--until-empty", in: folder).code == 0)
      let shown = try await outbox("show", id, in: folder)
      #expect(shown.text.contains("delivered") && shown.text.hasSuffix("\nwelcome"))
      let again = try await outbox("retry", id, in: folder)
      #expect(again.code == 1 && again.error.contains("was not retried: it is delivered"))
    }
  }

  @Test func `drop removes some requests, or all`() async throws {
    try await TemporaryFolder.using { folder in
      var ids: [String] = []
      for lane in ["a", "b", "c"] {
        ids.append(try await store("http://127.0.0.1:1/", lane: lane, in: folder))
      }
      #expect(try await outbox("drop", "", in: folder).code == 2)
      #expect(try await outbox("drop", ids[0], ids[2], in: folder).code == 0)
      #expect(try await outbox("drop", "", in: folder).error.contains("the ID is empty"))
      #expect(try await list("--state", "stored", in: folder).map(\.id) == [ids[1]])
      #expect(try await outbox("drop", "--all", in: folder).text.contains(ids[1]))
      #expect(try await list("--state", "stored", in: folder).isEmpty)
      #expect(try await outbox("drop", "--all", in: folder).error.contains("No request was dropped"))
    }
  }

  @Test func `a pause lasts until resume`() async throws {
    try await TemporaryFolder.using { folder in
      _ = try await store("http://127.0.0.1:1/", lane: "a", in: folder)
      #expect(try await outbox("pause", "--lane", "a", in: folder).text == "the lane a is paused\n")
      #expect(
        try await outbox("pause", "--output", "json", in: folder).text
          == "{\"paused\":true,\"pausedLanes\":[\"a\"]}\n")
      #expect(try await outbox("resume", in: folder).text == "the lane a is paused\n")
      #expect(try await outbox("resume", "--lane", "a", in: folder).text == "nothing is paused\n")
    }
  }
}
