import ErrandCore
package import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A worker that runs, or has ended. What it says goes into a file, so nothing of it is lost with it.
package final class WorkerProcess: Sendable {
  package enum End: Sendable, Hashable {
    case exited(Int32)
    case killed
    /// It did not end in time, so it was killed.
    case stuck
  }

  private let process: Process
  private let output: URL
  private let end: Task<Process.TerminationReason, Never>

  /// - Parameters:
  ///   - output: The file that it writes to.
  ///   - network: The network namespace that it lives in, by the name that ip-netns(8) knows; nil for the usual one.
  package init(_ orders: WorkerOrders, output: URL, network: String? = nil) throws {
    self.output = output
    process = Process()
    if let network {
      // It becomes the worker.
      process.executableURL = URL(filePath: "/usr/sbin/ip")
      process.arguments = ["netns", "exec", network, Self.program.path] + orders.words
    } else {
      process.executableURL = Self.program
      process.arguments = orders.words
    }
    try Data().write(to: output)
    let file = try FileHandle(forWritingTo: output)
    process.standardOutput = file
    process.standardError = file
    let (ends, continuation) = AsyncStream.makeStream(of: Process.TerminationReason.self)
    process.terminationHandler = {
      continuation.yield($0.terminationReason)
      continuation.finish()
    }
    end = Task {
      for await reason in ends { return reason }
      return .uncaughtSignal
    }
    try process.run()
    try file.close()
  }

  /// Beside the program that runs now, or where a debug build of this package puts it.
  private static var program: URL {
    let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "OutboxWorker")
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    return URL(filePath: #filePath).appending(path: "../../../.build/debug/OutboxWorker").standardizedFileURL
  }

  package func kill() { Self.send(process.processIdentifier, SIGKILL) }

  private static func send(_ process: pid_t, _ signal: Int32) {
    #if canImport(Darwin)
      Darwin.kill(process, signal)
    #elseif canImport(Musl)
      Musl.kill(process, signal)
    #else
      Glibc.kill(process, signal)
    #endif
  }

  /// Waits for its end, but not longer than `limit`.
  package func wait(within limit: Duration = .seconds(60)) async -> End {
    let isStuck = Locked(false)
    let guardian = Task {
      try await Task.sleep(for: limit)
      isStuck.withLock { $0 = true }
      kill()
    }
    let reason = await end.value
    guardian.cancel()
    if isStuck.withLock({ $0 }) { return .stuck }
    return reason == .exit ? .exited(process.terminationStatus) : .killed
  }

  /// The lines that it said, each as its words.
  package var said: [[String]] {
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
  }
}
