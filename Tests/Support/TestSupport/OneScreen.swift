import ErrandCore
package import Testing

/// Runs suites that use the single screen of the model of UIKit one after another.
package struct OneScreen: SuiteTrait, TestScoping {
  private struct Turns {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private static let turns = Locked(Turns())

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    await withCheckedContinuation { (turn: CheckedContinuation<Void, Never>) in
      let isFree = Self.turns.withLock { turns in
        if turns.isTaken { turns.waiting.append(turn) }
        defer { turns.isTaken = true }
        return !turns.isTaken
      }
      if isFree { turn.resume() }
    }
    defer {
      let next = Self.turns.withLock { turns in
        turns.isTaken = !turns.waiting.isEmpty
        return turns.isTaken ? turns.waiting.removeFirst() : nil
      }
      next?.resume()
    }
    try await function()
  }
}

extension Trait where Self == OneScreen {
  package static var oneScreen: Self { Self() }
}
