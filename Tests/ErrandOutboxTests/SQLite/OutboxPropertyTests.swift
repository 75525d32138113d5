import Testing

@Suite(.computesLong, .serialized) struct OutboxPropertyTests {
  @Test("two owners do whatever they like, and the store does what the model does", arguments: UInt64(1)...24)
  func sequence(_ seed: UInt64) async throws {
    try await ModelRun(seed: seed).run(250)
  }
}
