import ErrandTesting
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

  @Test func `line breaks in a message do not start a new log line`() async {
    let lines = await lines(.info, [Request.get("http://a.test/x").bestEffort()]) { _ in
      .fail(.cannotConnect, message: "one\ntwo\u{1B}[2J\u{2028}three")
    }
    #expect(lines.first?.hasSuffix("one\\u{a}two\\u{1b}[2J\\u{2028}three") == true)
  }
}
