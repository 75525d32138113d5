import Testing

@Suite struct TourTests {
  @Test func `every step of the tour succeeds`() async throws {
    let result = try await Tool.run(program: "ExampleTour")
    #expect(result.code == 0, "\(result.text)")
    #expect(result.text.contains("All 33 steps succeeded"))
  }
}
