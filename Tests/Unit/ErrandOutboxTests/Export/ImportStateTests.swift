import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct ImportStateTests {
  private func head(_ id: String, _ segments: [ExportedHead.Segment]) -> ExportedLine {
    .head(
      ExportedHead(
        id: id, priority: "default", created: "", state: "stored", method: "POST", url: "", fields: [],
        idempotencyKey: "", body: .multipart, segments: segments))
  }

  private func piece(_ id: String, _ segment: Int, _ count: Int) -> ExportedLine {
    .piece(ExportedPiece(of: id, segment: segment, bytes: Data(count: count)))
  }

  /// Returns the steps as text: `(` for a start, bytes with their segment, `)` for an end.
  private func steps(_ lines: [ExportedLine]) throws -> String {
    var state = ImportState()
    var text = ""
    for line in lines {
      for step in try state.take(line) {
        switch step {
        case .begin(let head): text += "(\(head.id) "
        case .add(let data, let segment): text += "\(data.count)@\(segment) "
        case .complete: text += ")"
        }
      }
    }
    try state.finish()
    return text
  }

  @Test func `an import state combines bytes into segments, and segments into requests`() throws {
    #expect(try steps([]) == "")
    #expect(try steps([head("a", []), head("b", [.bytes(0), .file(0)])]) == "(a )(b )")
    let lines = [
      head("a", [.bytes(0), .file(5), .file(0), .bytes(2), .bytes(0)]), piece("a", 1, 4), piece("a", 1, 1),
      piece("a", 3, 2), head("b", [.file(1)]), piece("b", 0, 1),
    ]
    #expect(try steps(lines) == "(a 4@1 1@1 2@3 )(b 1@0 )")
    for index in lines.indices {
      var some = lines
      some.remove(at: index)
      #expect(throws: ImportFault.self) { try steps(some) }
      #expect(throws: ImportFault.self) { try steps(Array(lines[...index] + lines[index...])) }
      // Two pieces of the same segment may be swapped.
      guard index > 0, index != 2 else { continue }
      some.insert(lines[index], at: index - 1)
      #expect(throws: ImportFault.self) { try steps(some) }
    }
  }

  @Test func `an import refuses a body whose length differs from its head`() {
    let two = head("a", [.file(2)])
    for lines in [[two], [two, piece("a", 0, 1)]] {
      #expect(throws: ImportFault.self) { try steps(lines) }
    }
    for lines in [
      [piece("a", 0, 1)], [two, piece("a", 0, 3)], [two, piece("a", 0, 0)], [two, piece("b", 0, 2)],
      [two, piece("a", -1, 2)], [two, piece("a", 0, 2), piece("a", 0, 1)], [head("", [])],
      [head("a", [.file(-1)])], [head("a", [.file(.max)])], [head("a", [.file(1 << 60), .bytes(1)])],
    ] {
      // The mismatch is found at the last line, so nothing of the request is used.
      var state = ImportState()
      for line in lines.dropLast() { #expect(throws: Never.self) { try state.take(line) } }
      #expect(throws: ImportFault.self) { try state.take(lines[lines.count - 1]) }
    }
  }
}
