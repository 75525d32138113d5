import Dispatch
import ErrandCore
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite struct FileWorkTests {
  private final class Held: Sendable {}

  private final class Begun: Sendable {
    let count = Locked(0)
  }

  /// If it retained them, a file that its caller released would be held a little longer and not be swept.
  @Test func `file work retains neither its argument nor its result`() async throws {
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

  @Test func `file work rethrows the error of its body`() async {
    await #expect(throws: CancellationError.self) {
      try await FileWork.queued.perform { throw CancellationError() }
    }
  }

  /// A slow disk: the blocked work waits for tasks.
  @Test(.timeLimit(.minutes(1))) func `blocking file work blocks no task`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let begun = Begun()
    try await withThrowingTaskGroup { group in
      for _ in 0..<16 {
        group.addTask {
          try await FileWork.queued.perform {
            begun.count.withLock { $0 += 1 }
            gate.wait()
          }
        }
      }
      for number in 0..<16 {
        // One more work blocks its thread.
        try await waitUntil { begun.count.withLock { $0 } > number }
        await Task.detached { _ = gate.signal() }.value
      }
      try await group.waitForAll()
    }
  }
}
