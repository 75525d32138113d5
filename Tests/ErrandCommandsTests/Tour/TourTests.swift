import Foundation
import Testing

@Suite struct TourTests {
  @Test func `every step of the tour succeeds`() async throws {
    let result = try await Tool.run("tour")
    #expect(result.code == 0, "\(result.text)")
    #expect(result.text.contains("All 33 steps went as promised"))
  }

  @Test func `control-C ends the tour`() async throws {
    let running = try Tool.start("tour")
    try await running.waitForOutput("2. ")
    running.send(SIGINT)
    let result = try await running.result()
    #expect(result.code == 130)
    #expect(!result.text.contains("BROKEN"))
    #expect(result.error == "")
  }
}
