import Dispatch
import Testing

@testable import ErrandOutbox

@Suite struct FileWorkTests {
  private final class Held: Sendable {}

  /// Else a file that a caller has let go of is held a little longer, and is not swept.
  @Test func `what has been done is held by its caller alone`() async throws {
    for _ in 0..<5000 {
      weak var given: Held?
      weak var made: Held?
      do {
        let argument = Held()
        given = argument
        made = try await FileWork.queued.perform { withExtendedLifetime(argument) { Held() } }
      }
      #expect(given == nil && made == nil)
    }
  }

  @Test func `what fails is told`() async {
    await #expect(throws: CancellationError.self) {
      try await FileWork.queued.perform { throw CancellationError() }
    }
  }

  /// As when a disk is slow: what they wait for is done by tasks.
  @Test(.timeLimit(.minutes(1))) func `what blocks keeps no task waiting`() async throws {
    let gate = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup { group in
      for _ in 0..<16 { group.addTask { try await FileWork.queued.perform { gate.wait() } } }
      for _ in 0..<16 {
        try await Task.sleep(for: .milliseconds(1))
        await Task.detached { _ = gate.signal() }.value
      }
      try await group.waitForAll()
    }
  }
}
