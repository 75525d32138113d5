import Dispatch
import Foundation
import Programs
import Synchronization

/// A process that writes one response after another to a cache and prints a line for each.
final class CacheWriterProcess: Sendable {
  private let program: Program
  private let output = Pipe()
  // Reading blocks, and the global queues share their threads with every task.
  private let queue = DispatchQueue(label: "errand.response-writer")
  private let unread = Mutex<[UInt8]>([])

  init(folder: URL, limit: Int, firstNumber: Int) throws {
    program = try Program(
      Program.built("CacheWriter"), [folder.path, "\(limit)", "\(firstNumber)"],
      output: output.fileHandleForWriting.fileDescriptor)
    // The output does not end while this copy is open.
    try output.fileHandleForWriting.close()
  }

  /// Returns the next lines of the output, fewer only if the process has ended.
  func lines(_ count: Int) async -> [String] {
    await withCheckedContinuation { continuation in
      queue.async {
        var lines: [String] = []
        while lines.count < count, let line = self.nextLine() { lines.append(line) }
        continuation.resume(returning: lines)
      }
    }
  }

  private func nextLine() -> String? {
    unread.withLock { unread in
      while true {
        if let end = unread.firstIndex(of: 10) {
          defer { unread.removeFirst(end + 1) }
          return String(decoding: unread[..<end], as: UTF8.self)
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
        if count > 0 {
          unread += buffer[..<count]
        } else if count == 0 || errno != EINTR {
          return nil
        }
      }
    }
  }

  /// Kills the process. Returns the rest of its output.
  func kill() async -> [String] {
    program.send(SIGKILL)
    let rest = await lines(.max)
    _ = await program.end()
    return rest
  }
}
