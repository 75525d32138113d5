/// Waits for what no event tells of, without sleeping. The time limit of the test ends it.
func reach(_ condition: () throws -> Bool) async throws {
  while try !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
