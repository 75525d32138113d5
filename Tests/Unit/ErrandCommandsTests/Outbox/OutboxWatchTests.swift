import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct OutboxWatchTests {
  @Test func `a terminal shows a table that is redrawn when other processes change it`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response(status: 201) }
    try await TemporaryFolder.using { folder in
      let url = "\(server.url("/"))"
      let stage = Locked(0)
      let (code, text) = try await PseudoTerminal.run("outbox", "watch", "--store", "box", in: folder) {
        text, running in
        // Each text is expected once.
        let next = stage.withLock { stage -> Int in
          let awaited = ["0 stored", "→ 201"]
          guard stage < awaited.count, text.contains(awaited[stage]) else { return 0 }
          stage += 1
          return stage
        }
        switch next {
        case 1:
          Task {
            try await Tool.run("post", url, "--guaranteed", "--lane", "chat", "--store", "box", in: folder)
          }
        case 2: running.send(SIGINT)
        default: break
        }
      }
      #expect(code == 130)
      #expect(text.contains("box: 0 stored") && text.contains("LANE") && text.contains("chat"))
      #expect(text.contains("\u{1B}[2A\r"))
      #expect(text.contains("stored 0/s, delivered 0/s ▁"))
      #expect(text.split(whereSeparator: \.isNewline).allSatisfy { $0.count < 110 })
    }
  }

  @Test func `output that is not a terminal gets a line, or a JSON object, for each step`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response(status: 201) }
    try await TemporaryFolder.using { folder in
      let plain = try Tool.start("outbox", "watch", "--store", "box", in: folder)
      let json = try Tool.start("outbox", "watch", "--store", "box", "--output", "json", in: folder)
      let before = try await Tool.run(
        "post", "\(server.url("/"))", "--guaranteed", "--detach", "--store", "box", in: folder)
      let id = before.text.trimmingCharacters(in: .newlines)
      try await plain.waitForOutput("\(id) stored: POST ")
      try await json.waitForOutput(#""state":"stored""#)
      #expect(try await Tool.run("outbox", "run", "--until-empty", "--store", "box", in: folder).code == 0)
      try await plain.waitForOutput("\(id) delivered (201): POST ")
      try await json.waitForOutput(#""state":"delivered""#)
      for running in [plain, json] {
        running.send(SIGINT)
        let result = try await running.result()
        #expect(result.code == 130 && result.error == "")
      }
    }
  }
}
