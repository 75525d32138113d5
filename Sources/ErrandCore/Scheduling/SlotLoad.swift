/// The numbers of running and waiting requests, for tests and tools.
package struct SlotLoad: Sendable, Hashable {
  package internal(set) var running = 0
  var waitingByLevel = [Int](repeating: 0, count: Priority.levels)

  package var waiting: Int { waitingByLevel.reduce(0, +) }
  package func waiting(_ priority: Priority) -> Int { waitingByLevel[priority.level] }
}
