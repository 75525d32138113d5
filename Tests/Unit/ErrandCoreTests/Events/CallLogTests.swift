import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct CallLogTests {
  private func lines(
    _ level: CallLog.Level, _ requests: [Request], _ handler: @escaping StubTransport.Handler
  ) async -> [String] {
    let written = Locked<[String]>([])
    let stage = Stage(
      configured: { $0.listeners = [.log(level: level) { line in written.withLock { $0.append(line) } }] },
      handler)
    for request in requests { _ = try? await stage.client.send(request) }
    return written.withLock { $0 }.map { $0.replacing(/#\d+/, with: "#1") }
  }

  @Test func `the level info logs one line for each call`() async {
    let requests = [Request.get("http://a.test/x"), .get("http://a.test/?token=abc").bestEffort()]
    let lines = await lines(.info, requests) { request in
      request.path == "/x" ? .response(body: "hello") : .fail(.cannotConnect, message: "refused")
    }
    #expect(
      lines == [
        "errand #1 GET http://a.test/x: 200 OK, 5 bytes, 0.0 ms",
        "errand #1 GET http://a.test/?token=***: failed: refused",
      ])
  }

  @Test func `the level debug logs one line for each event`() async {
    let lines = await lines(.debug, [.get("http://a.test/x")]) { _ in .response() }
    #expect(lines.count == 5)
    #expect(lines.first == "errand 0.0 ms #1 started")
  }

  @Test func `a description of what the caller passed is one line`() async throws {
    let odd = "http://a.test/a\nFAKE \u{1B}[2J\u{2028}"
    let requests = [Request.get(odd), Request(HTTPMethod("GET\r\nFAKE"), "http://a.test/")]
    var texts = requests.map { "\($0)" }
    texts.append("\(RequestBody.file(URL(filePath: "/a\nb")))")
    texts.append("\(FileError(.open, "/a\nb", "no"))")
    let stage = Stage.configured { _ in }.responding { _ in .response() }
    for request in requests {
      let error = await #expect(throws: RequestError.self) { try await stage.client.send(request) }
      texts.append("\(try #require(error))")
      texts.append(try #require(error).debugDescription)
      texts.append("\(stage.client.start(request))")
    }
    let fields: HTTPFields = ["X-A": "a\nFAKE"]
    texts.append("\(fields)")
    for text in texts {
      #expect(text.split(whereSeparator: { $0.isNewline }).count == 1 && !text.contains("\u{1B}"), "\(text)")
    }
    #expect(texts[0].contains("a.test/a\\u{a}FAKE"))
  }

  @Test func `line breaks in a message do not start a new log line`() async {
    let lines = await lines(.info, [Request.get("http://a.test/x").bestEffort()]) { _ in
      .fail(.cannotConnect, message: "one\ntwo\u{1B}[2J\u{2028}three")
    }
    #expect(lines.first?.hasSuffix("one\\u{a}two\\u{1b}[2J\\u{2028}three") == true)
  }
}
