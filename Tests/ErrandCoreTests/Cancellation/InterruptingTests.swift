import Dispatch
import Testing

@testable import ErrandCore

@Suite struct InterruptingTests {
  @Test func `the outcome is why the call was cancelled, not what its task threw for that`() async throws {
    let token = CancellationToken()
    let (begun, cancelled) = (Promise<Void>(), Promise<Void>())
    let ended = DispatchSemaphore(value: 0)
    let caller = Task {
      defer { ended.signal() }
      try await token.interrupting {
        try await withTaskCancellationHandler {
          begun.settle(.success(()))
          _ = await cancelled.settled()
          throw CancellationError()
        } onCancel: {
          cancelled.settle(.success(()))
          // The task throws before this returns, so the caller must have its outcome already.
          _ = ended.wait(timeout: .now() + 1)
        }
      }
    }
    _ = await begun.settled()
    #expect(SystemThread.start { token.cancel(.cancelled(.superseded)) })
    let error = await #expect(throws: RequestError.self) { try await caller.value }
    #expect(error?.cancellation == .superseded)
  }
}
