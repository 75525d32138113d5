import ErrandCore

/// Counts what happens in many tasks.
final class Tally: Sendable {
  private let number = Locked(0)

  var count: Int { number.withLock { $0 } }

  func add() { number.withLock { $0 += 1 } }

  /// Returns when so many have been counted.
  func reach(_ count: Int) async {
    while self.count < count { await Task.yield() }
  }
}
