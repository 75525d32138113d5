import Dispatch
import ErrandCore

/// Queues for work that waits for the disk. There are several, so that one large file does not block all
/// others.
///
/// Each queue is serial, because only serial queues have threads of their own. A concurrent queue shares the
/// few threads that every task runs on, at least on Linux: a slow disk would then stop the whole program.
package final class FileQueues: Sendable {
  private let queues: [DispatchQueue]
  /// The number of pieces of work on each queue.
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
