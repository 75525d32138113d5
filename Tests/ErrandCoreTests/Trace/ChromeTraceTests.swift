import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct ChromeTraceTests {
  private struct Record: Decodable, Equatable {
    let name: String
    let ts: Double
    let dur: Double
  }

  @Test func `each call is an event with its steps, and the file can be read at any time`() async throws {
    let folder = try TemporaryFolder()
    let trace = try ChromeTrace(file: folder.file("trace.json"))
    let stage = Stage.configured {
      $0.listeners = [trace]
      $0.retry = .attempts(2)
    }.responding { request in
      request.index == 0
        ? .response(status: 503, fields: ["Retry-After": "1"])
        : .response(body: "hello").after(.milliseconds(20))
    }
    let call = stage.client.start(.get("http://a.test/x"))
    await stage.reachSleep(of: .seconds(1))
    stage.clock.advance(by: .seconds(1))
    await stage.reachSleep(of: .milliseconds(20))
    stage.clock.advance(by: .milliseconds(20))
    _ = try await call.value
    let text = try String(contentsOf: folder.file("trace.json"), encoding: .utf8)
    // The bracket at the end may be missing.
    let records = try JSONDecoder().decode([Record].self, from: Data((text.dropLast(2) + "]").utf8))
    #expect(
      records == [
        Record(name: "GET http://a.test/x", ts: 0, dur: 1_020_000),
        Record(name: "first byte", ts: 0, dur: 0), Record(name: "backoff", ts: 0, dur: 1_000_000),
        Record(name: "first byte", ts: 1_000_000, dur: 20_000),
      ])
  }
}
