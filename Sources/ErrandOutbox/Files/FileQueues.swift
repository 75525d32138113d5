import Dispatch
import ErrandCore

/// Threads for work that waits for the disk, several pieces at a time: one large file does not keep all others waiting.
///
/// Each queue is serial, for only those have threads of their own. A concurrent one shares the few that every task runs on,
/// at least on Linux: a slow disk would then stop the whole program.
package final class FileQueues: Sendable {
  private let queues: [DispatchQueue]
  /// How much each has to do.
  private let loads: Locked<[Int]>

  init(_ label: String, count: Int = 4) {
    queues = (0..<count).map { DispatchQueue(label: "\(label).\($0)") }
    loads = Locked(Array(repeating: 0, count: count))
  }

  func async(_ work: @escaping @Sendable () -> Void) {
    let index = loads.withLock { loads in
      let index = loads.indices.min { loads[$0] < loads[$1] } ?? 0
      loads[index] += 1
      return index
    }
    queues[index].async {
      work()
      self.loads.withLock { $0[index] -= 1 }
    }
  }
}
