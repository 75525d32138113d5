import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite struct BodiesTests {
  private func echo() throws -> MockServer {
    let server = try MockServer()
    server.otherwise { request in
      .response(fields: ["Content-Type": request.fields["Content-Type"] ?? "none"], body: request.body)
    }
    return server
  }

  private static let binary = Data.seeded(3_000_000)

  @Test func `standard input is sent unchanged, short or long`() async throws {
    let server = try echo()
    for input in [Data(), Data([0, 10, 13, 255]), Self.binary] {
      let result = try await Tool.run("post", "\(server.url("/"))", "-d", "-", input: input)
      #expect(result.code == 0)
      #expect(result.output == input)
    }
    #expect(server.requests[1].fields["Content-Length"] == "4")
    #expect(server.requests[2].fields["Transfer-Encoding"] == "chunked")
  }

  @Test func `data that is not UTF-8 keeps its bytes, alone, among others and from the outbox`()
    async throws
  {
    let server = try echo()
    try await TemporaryFolder.using { folder in
      let url = server.url("/")
      for line in [
        "$errand post \(url) -d \"$(printf 'a=\\377\\303b')\"",
        "$errand post \(url) --data=\"$(printf 'a=\\377\\303b')\"",
        "$errand post \(url) -d\"$(printf 'a=\\377\\303b')\" --guaranteed --store box",
      ] {
        let result = try await Tool.shell(line, in: folder)
        #expect(result.code == 0, "\(result.error)")
        #expect(server.requests.last?.body == Data("a=".utf8) + [0xFF, 0xC3] + Data("b".utf8))
      }
      let several = try await Tool.shell(
        "$errand post \(url) -d \"$(printf '\\303\\251')\" -d \"$(printf '\\200')\"", in: folder)
      #expect(several.code == 0)
      #expect(server.requests.last?.body == Data("\u{E9}&".utf8) + [0x80])
    }
  }

  @Test func `other arguments that are not UTF-8 are refused`() async throws {
    let server = try echo()
    try await TemporaryFolder.using { folder in
      let bytes = "\"$(printf 'x\\377')\""
      for (arguments, name) in [
        ("post \(server.url("/")) -d @\(bytes)", "the value of --data"),
        ("post \(server.url("/")) --json \(bytes)", "the value of --json"),
        ("get \(server.url("/"))\(bytes)", "an argument of errand get"),
        ("get \(server.url("/")) --\(bytes)", "an option"), ("\(bytes)", "the command"),
      ] {
        let result = try await Tool.shell("$errand \(arguments)", in: folder)
        #expect(result.code == 2)
        #expect(result.error.contains("\(name) is not UTF-8"), "\(result.error)")
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `JSON has its content type, and -H overrides it`() async throws {
    let server = try echo()
    _ = try await Tool.run("post", "\(server.url("/"))", "--json", "{}")
    _ = try await Tool.run("put", "\(server.url("/"))", "--json={}", "-HContent-Type: text/x")
    _ = try await Tool.run("patch", "\(server.url("/"))", "-d", "a=b")
    let types = server.requests.map { $0.fields["Content-Type"] }
    #expect(types == ["application/json", "text/x", "application/x-www-form-urlencoded"])
    #expect(server.requests.map(\.method) == ["POST", "PUT", "PATCH"])
    #expect(server.requests[0].fields["Accept"] == "application/json")
  }

  @Test func `invalid JSON is refused before anything is sent, wherever it comes from`() async throws {
    let server = try echo()
    let url = "\(server.url("/"))"
    let long = Data("[\(String(repeating: "1,", count: 1_000_000))\n]".utf8)
    try await TemporaryFolder.using { folder in
      try Data("{\n  \"a\": 1,\n}".utf8).write(to: folder.appendingPathComponent("a.json"))
      for (result, part) in [
        (try await Tool.run("post", url, "--json", "{a: 1}"), "--json is not valid JSON: line 1, column 2: "),
        (
          try await Tool.run("post", url, "--json", "@a.json", in: folder),
          "@a.json is not valid JSON: line 3, column 1: "
        ),
        (try await Tool.run("post", url, "--json", "-", input: Data("{".utf8)), "line 1, column 2: "),
        (try await Tool.run("post", url, "--json", "-", input: long), "line 2, column 1: "),
        (
          try await Tool.run(
            "post", url, "--json", "@a.json", "--guaranteed", "--store", "store", in: folder),
          "line 3, column 1: "
        ),
      ] {
        #expect(result.code == 2)
        #expect(result.error.contains(part), "\(result.error)")
      }
    }
    #expect(server.requests.isEmpty)
  }

  @Test func `JSON is sent unchanged, from a file and from a long standard input`() async throws {
    let server = try echo()
    let long = Data("[\(String(repeating: "1, ", count: 1_000_000))1]\n".utf8)
    let url = "\(server.url("/"))"
    #expect(try await Tool.run("post", url, "--json", "-", input: long).output == long)
    try await TemporaryFolder.using { folder in
      try long.write(to: folder.appendingPathComponent("a.json"))
      #expect(try await Tool.run("post", url, "--json", "@a.json", in: folder).output == long)
    }
    #expect(server.requests.map { $0.fields["Content-Type"] } == ["application/json", "application/json"])
  }

  @Test func `forms are encoded, and include files`() async throws {
    let server = try echo()
    try await TemporaryFolder.using { folder in
      try Data("meow".utf8).write(to: folder.appendingPathComponent("cat.jpg"))
      _ = try await Tool.run("post", "\(server.url("/"))", "--form", "a=b c&d", "--form", "e=")
      _ = try await Tool.run("post", "\(server.url("/"))", "-F", "a=b", "-F", "f=@cat.jpg", in: folder)
    }
    #expect(server.requests[0].text == "a=b+c%26d&e=")
    let text = server.requests[1].text
    #expect(text.contains("name=\"f\"; filename=\"cat.jpg\"\r\nContent-Type: image/jpeg\r\n\r\nmeow\r\n"))
  }

  @Test func `the query is encoded, header fields are sent, and a compressed body is smaller`() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response(status: 204) }
    let text = String(repeating: "a", count: 10_000)
    let result = try await Tool.run(
      "send", "PURGE", "\(server.url("/p?z=1"))", "-q", "a=b c", "-q", "d=&", "-H", "X-A: 1", "-H", "X-A: 2",
      "-d", text,
      "--compress")
    #expect(result.code == 0)
    let request = try #require(server.requests.first)
    #expect(request.method == "PURGE")
    #expect(request.query == "z=1&a=b%20c&d=%26")
    #expect(request.fields.values(of: "X-A") == ["1", "2"])
    #expect(request.fields["Content-Encoding"] == "gzip")
    #expect(request.bodyBytes < 200)
  }

  @Test func `upload sends a file with its type`() async throws {
    let server = try echo()
    try await TemporaryFolder.using { folder in
      try Self.binary.write(to: folder.appendingPathComponent("film.mp4"))
      let result = try await Tool.run("upload", "film.mp4", "\(server.url("/f"))", in: folder)
      #expect(result.output == Self.binary)
      #expect(result.error == "")
    }
    #expect(server.requests[0].method == "PUT")
    #expect(server.requests[0].fields["Content-Type"] == "video/mp4")
    #expect(server.requests[0].fields["Content-Length"] == "3000000")
  }
}
