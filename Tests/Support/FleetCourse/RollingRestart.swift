import ErrandCore
import ErrandOutbox

/// The time that requests wait while all workers of a fleet are replaced, one after another. Pure.
package struct RollingRestart: Sendable {
  package struct Result: Sendable, Hashable, CustomStringConvertible {
    /// The number of workers that were replaced.
    package let workers: Int
    /// The longest time from the enqueueing of a request to its first arrival, while nothing was replaced.
    package let usual: Duration
    /// The same while workers were replaced.
    package let longest: Duration
    /// The number of requests that were sent twice.
    package let doubled: Int

    /// A worker that gets the signal to stop gives its leases back, so that no request waits for the end of a
    /// lease, which is ten times as long, and none is sent twice.
    package var isGood: Bool { doubled == 0 && longest < .seconds(6) }

    package var description: String {
      let (usual, longest) = (Self.text(usual), Self.text(longest))
      return "rolling restart of \(workers) workers: the longest wait was \(longest), before it \(usual); "
        + "\(doubled) sent twice"
    }

    private static func text(_ time: Duration) -> String {
      let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
      return "\(milliseconds) ms"
    }
  }

  private var enqueued: [Int: Duration] = [:]
  private var waits: (usual: Duration, rolling: Duration) = (.zero, .zero)
  private var isRolling = false
  private var arrived: Set<Int> = []
  private var doubled = 0

  package init() {}

  /// From now on, arriving requests count as having waited for a worker that is replaced.
  package mutating func begin() { isRolling = true }

  /// - Parameter now: The time at which the enqueueing of the request began.
  package mutating func enqueue(_ number: Int, at now: Duration) { enqueued[number] = now }

  package mutating func arrive(_ number: Int, at now: Duration) {
    guard let begin = enqueued[number] else { return }
    guard arrived.insert(number).inserted else {
      doubled += 1
      return
    }
    if isRolling {
      waits.rolling = max(waits.rolling, now - begin)
    } else {
      waits.usual = max(waits.usual, now - begin)
    }
  }

  /// True once all enqueued requests have arrived.
  package var isEmpty: Bool { arrived.count == enqueued.count }

  package func result(workers: Int) -> Result {
    Result(workers: workers, usual: waits.usual, longest: waits.rolling, doubled: doubled)
  }
}
