import ErrandCore
import ErrandObservability
import Foundation
import Programs
import TestSupport
import Testing

/// Kills a program while it records calls.
@Suite(.timeLimit(.minutes(2))) struct KilledRecorderTests {
  @Test func `a killed program's recording is complete, or is repaired by the next recorder`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("calls.har")
    var known = 0
    for round in 1...8 {
      let before = size(of: file)
      let program = try Program(Program.built("inspected"), [file.path, "flood"])
      // The instant differs from round to round, so that the last write is interrupted at different points.
      while size(of: file) < before + 40_000 + round * 1237 { await Task.yield() }
      program.send(SIGKILL)
      #expect(await program.end() == .killed(by: SIGKILL))
      _ = try HARRecorder(file: file, appends: true)
      let entries = try entries(of: file)
      #expect(entries > known, "round \(round)")
      known = entries
    }
  }

  private func size(of file: URL) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  private func entries(of file: URL) throws -> Int {
    let whole = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    let entries = try #require((whole?["log"] as? [String: Any])?["entries"] as? [[String: Any]])
    #expect(entries.allSatisfy { $0["startedDateTime"] is String && $0["response"] is [String: Any] })
    return entries.count
  }
}
