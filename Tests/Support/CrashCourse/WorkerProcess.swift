import ErrandCore
package import Foundation
import Programs

/// A worker process that runs or has ended. Its output goes to a file, so that nothing is lost when it is
/// killed.
package final class WorkerProcess: Sendable {
  package enum End: Sendable, Hashable {
    case exited(Int32)
    case killed
    /// The worker did not end in time, so it was killed.
    case stuck
  }

  private let program: Program
  private let output: URL

  /// - Parameters:
  ///   - output: The file for its output.
  ///   - network: The name of its network namespace, as in ip-netns(8); nil for the default one.
  package init(_ orders: WorkerOrders, output: URL, network: String? = nil) throws {
    self.output = output
    try Data().write(to: output)
    let file = try FileHandle(forWritingTo: output)
    // In a network namespace `ip` executes the worker in the same process.
    let inNetwork = network.map { ["/usr/sbin/ip", "netns", "exec", $0] } ?? []
    let line = inNetwork + [Program.built("OutboxWorker")] + orders.words
    program = try Program(
      line[0], Array(line.dropFirst()), output: file.fileDescriptor, errors: file.fileDescriptor)
    try file.close()
  }

  package func send(_ signal: Int32) { program.send(signal) }

  /// Stops the worker, and returns when it no longer runs.
  package func stop() { program.stop() }

  package func kill() { program.send(SIGKILL) }

  /// Waits for the worker's end, but no longer than `limit`.
  package func wait(within limit: Duration = .seconds(60)) async -> End {
    let isStuck = Locked(false)
    let guardian = Task {
      try await Task.sleep(for: limit)
      isStuck.withLock { $0 = true }
      kill()
    }
    let end = await program.end()
    guardian.cancel()
    if isStuck.withLock({ $0 }) { return .stuck }
    return if case .exited(let code) = end { .exited(code) } else { .killed }
  }

  /// The lines of its output, each split into words.
  package var said: [[String]] {
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
  }
}
