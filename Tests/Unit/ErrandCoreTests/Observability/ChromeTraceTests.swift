import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandObservability

@Suite(.timeLimit(.minutes(1))) struct ChromeTraceTests {
  private struct Record: Decodable, Equatable {
    let name: String
    let ts: Double?
    let dur: Double?
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
    await stage.clock.advance(by: .seconds(1))
    await stage.reachSleep(of: .milliseconds(20))
    await stage.clock.advance(by: .milliseconds(20))
    _ = try await call.value
    let text = try String(contentsOf: folder.file("trace.json"), encoding: .utf8)
    // The bracket at the end may be missing.
    let records = try JSONDecoder().decode([Record].self, from: Data((text.dropLast(2) + "]").utf8))
    #expect(
      records == [
        Record(name: "process_name", ts: nil, dur: nil),
        Record(name: "GET http://a.test/x", ts: 0, dur: 1_020_000),
        Record(name: "first byte", ts: 0, dur: 0), Record(name: "backoff", ts: 0, dur: 1_000_000),
        Record(name: "first byte", ts: 1_000_000, dur: 20_000),
      ])
  }

  @Test func `a new recording replaces an existing trace, and only one recorder at a time can have the file`()
    async throws
  {
    let folder = try TemporaryFolder()
    // The beginning of a file in the first version.
    let earlier = #"{"args":{"outcome":"finished"},"cat":"errand","dur":1,"name":"GET","ph":"X"},"#
    for text in ["", "[\n", "[\n\(earlier)\n"] {
      try folder.write(text, to: "trace.json")
      for _ in 0..<2 {
        let trace = try ChromeTrace(file: folder.file("trace.json"))
        #expect(throws: FileError.self) { try ChromeTrace(file: folder.file("trace.json")) }
        withExtendedLifetime(trace) {}
      }
      #expect(try !String(contentsOf: folder.file("trace.json"), encoding: .utf8).contains("outcome"))
    }
  }

  @Test(arguments: ["notes\n", "[]", "[\n1]", #"[\n{"args":{},"cat":"v8"}]"#])
  func `a file that Errand did not write is not changed`(text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "trace.json")
    let error = #expect(throws: FileError.self) { try ChromeTrace(file: folder.file("trace.json")) }
    #expect(error?.description.contains("it is not a trace that Errand has written") == true)
    #expect(try String(contentsOf: folder.file("trace.json"), encoding: .utf8) == text)
  }
}
