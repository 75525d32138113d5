import Testing

@Suite struct TourTests {
  @Test func `all of it goes as promised`() async throws {
    let result = try await Tool.run("tour")
    #expect(result.code == 0, "\(result.text)")
    #expect(result.text.contains("All 17 steps went as promised"))
  }
}
