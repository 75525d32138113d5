/// Waits for a condition that no event reports, without sleeping. The time limit of the test ends the wait.
func reach(_ condition: () throws -> Bool) async throws {
  while try !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
