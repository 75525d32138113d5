import ErrandCore

/// A counter that any thread may increment.
package final class Counter: Sendable {
  private let count = Locked(0)

  package init() {}

  package var value: Int { count.withLock { $0 } }

  func add() { count.withLock { $0 += 1 } }
}
