import CrashCourse
import Foundation
import Testing

@Suite(.timeLimit(.minutes(3))) struct CrashTests {
  @Test func `a hundred processes are killed at every step and at any instant, and nothing is lost`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "errand-crash-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let seed = UInt64.random(in: 1...1_000_000)
    var course = CrashCourse(kills: 100, seed: seed, in: folder)
    let report = try await course.run()
    #expect(report.isGood, "\(report)")
    #expect(report.killCount >= 100 && report.accepted > 100, "\(report)")
  }
}
