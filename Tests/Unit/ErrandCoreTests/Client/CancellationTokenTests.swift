import Testing

@testable import ErrandCore

@Suite final class CancellationTokenTests: Sendable {
  private let cancellation = CancellationToken()
  private let told = Locked(0)

  private func listen() { _ = cancellation.onCancel { self.told.withLock { $0 += 1 } } }

  @Test func `the first reason to cancel a call counts, and its handlers are called once`() {
    listen()
    cancellation.cancel(.cancelled(.superseded))
    cancellation.cancel(.cancelled(.callCancelled))
    #expect(cancellation.cause == .cancelled(.superseded))
    #expect(told.withLock { $0 } == 1)
    // A handler that is added after the cancellation is called at once.
    listen()
    #expect(told.withLock { $0 } == 2)
  }

  @Test func `a call that has an outcome cannot be cancelled`() throws {
    listen()
    try cancellation.finish()
    cancellation.cancel(.cancelled(.callCancelled))
    #expect(cancellation.cause == nil && cancellation.isOver)
    #expect(told.withLock { $0 } == 0)
    try cancellation.check()
  }

  @Test func `a call that was cancelled has no other outcome`() {
    cancellation.cancel(.cancelled(.callCancelled))
    let error = #expect(throws: RequestError.self) { try cancellation.finish() }
    #expect(error?.cancellation == .callCancelled)
  }
}
