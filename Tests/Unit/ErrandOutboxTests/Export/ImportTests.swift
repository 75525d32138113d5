import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct ImportTests {
  private let harness: OutboxHarness
  private let other: OutboxHarness

  init() throws {
    harness = try OutboxHarness()
    other = try OutboxHarness()
  }

  /// Returns the export of three requests: one of a line, one of two, one of three.
  private func exported() async throws -> [String] {
    let outbox = try await harness.outbox { $0.delivers = false }
    let url = harness.server.url("/")
    try await outbox.enqueue([.post(url), .post(url, .text("hello")), .post(url, .bytes(.seeded(300_000)))])
    let lines = try await outbox.exportedLines()
    await outbox.close()
    try #require(lines.count == 6)
    return lines
  }

  private func refusal(_ outbox: Outbox, _ lines: [String]) async throws -> OutboxError? {
    do {
      try await outbox.import(lines: lines)
      return nil
    } catch let error as OutboxError {
      return error
    }
  }

  private func withTarget(_ body: (Outbox) async throws -> Void) async throws {
    let outbox = try await other.outbox { $0.delivers = false }
    try await body(outbox)
    await outbox.close()
  }

  @Test func `importing twice stores each request once`() async throws {
    let lines = try await exported()
    try await withTarget { outbox async throws in
      #expect(try await outbox.import(lines: lines + lines) == OutboxImport(stored: 3, known: 3))
      #expect(try await outbox.import(lines: lines) == OutboxImport(stored: 0, known: 3))
      #expect(try await outbox.list().count == 3)
      #expect(try other.storedFiles.count == 1)
    }
    // The same holds for the outbox that made the export.
    let source = try await harness.outbox { $0.delivers = false }
    #expect(try await source.import(lines: lines) == OutboxImport(stored: 0, known: 3))
    await source.close()
  }

  @Test func `a request that was already delivered is not imported again`() async throws {
    let lines = try await exported()
    let outbox = try await harness.outbox()
    try await outbox.waitUntilEmpty()
    #expect(try await outbox.import(lines: lines).stored == 0)
    await outbox.close()
    #expect(harness.server.requests.count == 3)
  }

  @Test(arguments: Array(zip(0...6, [0, 1, 1, 2, 2, 2, 3])))
  func `an import that is cut after any line stores the complete requests, and reports the missing rest`(
    count: Int, whole: Int
  ) async throws {
    let lines = try await exported()
    try await withTarget { outbox async throws in
      let error = try await refusal(outbox, Array(lines.prefix(count)))
      let isComplete = [0, 1, 3, 6].contains(count)
      #expect((error == nil) == isComplete)
      if let error {
        #expect(error.code == .badImport)
        #expect(error.message.contains("line \(count):") && error.message.contains("missing"))
      }
      #expect(try await outbox.list().count == whole)
      #expect(try other.storedFiles.count == (whole == 3 ? 1 : 0))
      // The rest may be imported later.
      try await outbox.import(lines: lines)
      #expect(try await outbox.list().count == 3)
    }
  }

  @Test(arguments: 0..<6) func `an import that is cut inside any line stores the complete requests`(
    _ index: Int
  )
    async throws
  {
    let lines = try await exported()
    try await withTarget { outbox async throws in
      let cut = Array(lines.prefix(index)) + [String(lines[index].dropLast(5))]
      let error = try #require(try await refusal(outbox, cut))
      #expect(error.code == .badImport && error.message.contains("line \(index + 1):"))
      #expect(try await outbox.list().count == [0, 1, 1, 2, 2, 2][index])
      #expect(try other.storedFiles == [])
    }
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5]) func `a missing line is detected`(_ index: Int) async throws {
    var lines = try await exported()
    lines.remove(at: index)
    try await withTarget { outbox async throws in
      let error = try await refusal(outbox, lines)
      // Without the only line of the first request, two complete ones remain.
      #expect(error?.code == (index == 0 ? nil : .badImport))
      let ids = try await outbox.list().map(\.id)
      #expect(ids.count == [2, 1, 1, 2, 2, 2][index])
      #expect(try other.storedFiles.count == (index == 0 ? 1 : 0))
    }
  }

  @Test(arguments: [
    "x", "[]", "{}", "null", "{\"of\":1}", "{\"of\":\"a\",\"segment\":0,\"bytes\":\"AAAA\"}",
    "{\"errand-outbox\":1}", "{\"errand-outbox\":2,\"id\":\"a\"}", "{\"errand-outbox\":1,\"of\":\"a\"}",
    "\u{FFFD}\u{0}",
  ])
  func `garbage is refused with its line number, and requests before it are stored`(_ garbage: String)
    async throws
  {
    let lines = try await exported()
    try await withTarget { outbox async throws in
      let error = try #require(try await refusal(outbox, [lines[0], "", garbage, lines[1], lines[2]]))
      #expect(error.code == .badImport && error.message.hasPrefix("line 3: "))
      #expect(error.message.contains("stored before it: 1"))
      #expect(try await outbox.list().count == 1)
    }
  }

  @Test(arguments: [
    ("\"bytes\":5", "\"bytes\":-5"), ("\"bytes\":5", "\"bytes\":4"), ("\"bytes\":5", "\"bytes\":6"),
    ("\"bytes\":5", "\"bytes\":9223372036854775807"), ("\"body\":\"bytes\"", "\"body\":\"none\""),
    ("\"body\":\"bytes\"", "\"body\":\"stream\""), ("\"method\":\"POST\"", "\"method\":\"P OST\""),
    ("\"url\":\"http://", "\"url\":\"http//"), ("\"priority\":\"default\"", "\"priority\":\"first\""),
    ("\"segment\":0", "\"segment\":1"), ("\"bytes\":\"aGVsbG8=\"", "\"bytes\":\"aGVsbG8\""),
    ("\"bytes\":\"aGVsbG8=\"", "\"bytes\":\"\""),
    ("\"errand-outbox\":1", "\"expires\":\"soon\",\"errand-outbox\":1"),
    ("\"errand-outbox\":1", "\"options\":{\"statuses\":[1]},\"errand-outbox\":1"),
    ("\"fields\":[[", "\"fields\":[[\"a\"],["), ("\"id\":\"", "\"id\":\"\",\"id2\":\""),
  ])
  func `an inconsistent request is refused as a whole`(_ change: (String, String)) async throws {
    var lines = Array(try await exported()[1...2])
    let index = try #require(lines.firstIndex { $0.contains(change.0) })
    lines[index] = lines[index].replacingOccurrences(of: change.0, with: change.1)
    try await withTarget { outbox async throws in
      let error = try #require(try await refusal(outbox, lines))
      #expect([.badImport, .notStorable].contains(error.code), "\(error)")
      #expect(error.message.hasPrefix("line "))
      #expect(try await outbox.list().isEmpty)
    }
  }

  @Test func `an imported credential is refused, and not shown`() async throws {
    let lines = try await exported()
    let secret = lines[1].replacingOccurrences(
      of: "\"fields\":[", with: "\"fields\":[[\"Authorization\",\"Bearer s3cr3t\"],")
    try await withTarget { outbox async throws in
      let error = try #require(try await refusal(outbox, [lines[0], secret, lines[2]]))
      #expect(error.code == .notStorable && error.message.hasPrefix("line 2: "))
      #expect(error.message.contains("Authorization") && !error.message.contains("s3cr3t"))
      #expect(try await outbox.list().count == 1)
    }
  }

  @Test func `a dead letter is exported with its reason, and is due again after its import`() async throws {
    harness.server.script("/", [.response(status: 400), .response()])
    let source = try await harness.outbox()
    let receipt = try await source.enqueue(.post(harness.server.url("/"), .text("hello")))
    _ = try await receipt.outcome()
    let lines = try await source.exportedLines(OutboxSelection(states: [.deadLettered]))
    #expect(try await source.exportedLines(OutboxSelection(states: [.stored])) == [])
    await source.close()
    #expect(lines[0].contains("\"state\":\"dead-letter\"") && lines[0].contains("400"))
    let target = try await other.outbox()
    try await target.import(lines: lines)
    let again = try #require(try await target.receipt(for: receipt.id))
    #expect(try await again.outcome().response != nil)
    #expect(try await target.status(of: receipt.id)?.attempts == 1)
    await target.close()
    #expect(harness.server.requests.map(\.text) == ["hello", "hello"])
  }

  @Test func `an imported request past its expiry expires, and is not sent`() async throws {
    let lines = try await exported()
    let old = lines[0].replacingOccurrences(
      of: "\"errand-outbox\":1", with: "\"expires\":\"2020-01-01T00:00:00Z\",\"errand-outbox\":1")
    let outbox = try await other.outbox()
    try await outbox.import(lines: [old])
    try await outbox.waitUntilEmpty()
    #expect(try await outbox.list().map(\.state) == [.expired])
    await outbox.close()
    #expect(harness.server.requests.isEmpty)
  }

  @Test func `an import stores as many requests as the caps allow`() async throws {
    let lines = try await exported()
    let outbox = try await other.outbox {
      $0.delivers = false
      $0.caps.count = 2
    }
    let refusal = try await self.refusal(outbox, lines)
    #expect(refusal?.code == .full)
    #expect(try await outbox.list().count == 2)
    #expect(try other.storedFiles == [])
    await outbox.close()
  }

  @Test func `a damaged file is not exported as if it were intact`() async throws {
    _ = try await exported()
    let name = try #require(try harness.storedFiles.first)
    let file = harness.folder.appending(path: "files/\(name)")
    try Data(contentsOf: file).flipping(1000).write(to: file)
    let outbox = try await harness.outbox { $0.delivers = false }
    var written = Data()
    await #expect { try await outbox.export { written += $0 } } throws: {
      ($0 as? OutboxError)?.code == .fileUnreadable
    }
    await outbox.close()
    let lines = String(decoding: written, as: UTF8.self).split(separator: "\n").map(String.init)
    try await withTarget { target async throws in
      let refusal = try await self.refusal(target, lines)
      #expect(refusal?.code == .badImport)
      #expect(try await target.list().count == 2)
    }
  }

  @Test func `an unreadable import file is an error`() async throws {
    try await withTarget { outbox async throws in
      for url in [other.folder.appending(path: "missing"), other.folder] {
        await #expect { try await outbox.import(contentsOf: url) } throws: {
          ($0 as? OutboxError)?.code == .fileUnreadable
        }
      }
    }
  }
}
