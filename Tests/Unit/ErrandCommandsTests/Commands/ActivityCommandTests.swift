import Dispatch
import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite struct ActivityCommandTests {
  /// Returns a server whose response waits for the gate.
  private func slowServer(_ gate: DispatchSemaphore) throws -> MockServer {
    let server = try MockServer()
    server.on("GET", "/") { _ in
      _ = gate.wait(timeout: .now() + 60)
      return .response(body: "hello")
    }
    return server
  }

  @Test func `a terminal shows the activity during a slow response, and at the end only the response`()
    async throws
  {
    let gate = DispatchSemaphore(value: 0)
    let server = try slowServer(gate)
    let (code, text) = try await PseudoTerminal.run(
      "get", "--activity", "Loading", "--timeout", "60s", "\(server.url("/"))"
    ) {
      text, _ in
      if text.contains("/ Loading …\u{1B}[K") { gate.signal() }
    }
    #expect(code == 0)
    #expect(text.hasPrefix("\r| Loading …\u{1B}[K\r/ Loading …\u{1B}[K"))
    #expect(text.hasSuffix("\u{1B}[K\r\u{1B}[Khello\r\n"))
  }

  @Test func `a terminal shows the progress, and control-C erases the line`() async throws {
    let server = try MockServer()
    server.on("GET", "/film") { _ in .response(body: Data(count: 1_000_000)).stalling(at: .body(500_000)) }
    let isSent = Locked(false)
    try await TemporaryFolder.using { folder in
      let (code, text) = try await PseudoTerminal.run(
        "download", "--activity", "Fetching", "--timeout", "60s", "\(server.url("/film"))", in: folder
      ) { text, running in
        // A second signal would end the tool without cleaning up.
        let sendsNow = isSent.withLock { isSent in
          defer { isSent = isSent || text.contains("Fetching …   50%") }
          return !isSent && text.contains("Fetching …   50%")
        }
        if sendsNow { running.send(SIGINT) }
      }
      #expect(code == 130)
      #expect(text.hasSuffix("\r\u{1B}[K"))
    }
  }

  @Test func `output that is not a terminal gets one line for a slow response`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try slowServer(gate)
    let running = try Tool.start("get", "--activity", "Loading", "--timeout", "60s", "\(server.url("/"))")
    try await running.waitForError("Loading …")
    gate.signal()
    let result = try await running.result()
    #expect(result.code == 0 && result.text == "hello")
    #expect(result.error == "Loading …\n")
  }
}
