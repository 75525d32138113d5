import Dispatch
import Testing

@testable import ErrandCore

@Suite struct InterruptingTests {
  @Test func `a caller gets the reason of its cancellation before its task is cancelled`() async throws {
    let token = CancellationToken()
    let (begun, cancelled) = (Promise<Void>(), Promise<DispatchTimeoutResult>())
    let ended = DispatchSemaphore(value: 0)
    let caller = Task {
      defer { ended.signal() }
      try await token.interrupting {
        try await withTaskCancellationHandler {
          begun.settle(.success(()))
          _ = await cancelled.settled()
          throw CancellationError()
        } onCancel: {
          cancelled.settle(.success(ended.wait(timeout: .now() + 5)))
        }
      }
    }
    _ = await begun.settled()
    #expect(SystemThread.start { token.cancel(.cancelled(.superseded)) })
    let error = await #expect(throws: RequestError.self) { try await caller.value }
    #expect(error?.cancellation == .superseded)
    #expect(try await cancelled.settled().get() == .success)
  }
}
