/// Returns as soon as `condition` holds. It looks again every 5 ms, so use it only where no event reports the change: for
/// files, databases, and the state of other processes and of the kernel.
package func waitUntil(_ condition: () async throws -> Bool) async throws {
  while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
}
