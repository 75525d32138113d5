import ErrandCore

/// Counts the events of many tasks.
final class Tally: Sendable {
  private let number = Locked(0)

  var count: Int { number.withLock { $0 } }

  func add() { number.withLock { $0 += 1 } }

  /// Returns when this many events have been counted.
  func reach(_ count: Int) async {
    while self.count < count { await Task.yield() }
  }
}
