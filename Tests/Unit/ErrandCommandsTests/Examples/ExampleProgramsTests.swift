import Testing

@Suite struct ExampleProgramsTests {
  @Test func `every step of the tour succeeds`() async throws {
    let result = try await Tool.run(program: "ExampleTour")
    #expect(result.code == 0, "\(result.text)")
    #expect(result.text.contains("All 33 steps succeeded"))
  }

  @Test func `the example of every feature shows what it promises`() async throws {
    let result = try await Tool.run(program: "ExampleFeatures")
    #expect(result.code == 0, "\(result.text)\n\(result.error)")
    #expect(result.text.contains("testing:"))
  }
}
