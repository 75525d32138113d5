import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the tool on a terminal and returns everything that it drew.
enum PseudoTerminal {
  /// - Parameter watch: Called with the whole output each time it has grown. A tool that this does not end is
  ///   killed after a minute, so that a test that waits for the wrong text fails.
  static func run(
    _ arguments: String..., in folder: URL? = nil,
    watch: @escaping @Sendable (String, Running) -> Void = { _, _ in }
  ) async throws -> (code: Int32, text: String) {
    var (master, slave) = (Int32(-1), Int32(-1))
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, nil, nil, &size) == 0 else { throw POSIXError(.EIO) }
    defer { close(master) }
    let running = try Running(
      Tool.path, arguments, in: folder, terminal: FileHandle(fileDescriptor: slave, closeOnDealloc: false))
    close(slave)
    // A limit for a process that does not end.
    let limit = Task {
      try await Task.sleep(for: .seconds(60))
      running.send(SIGKILL)
    }
    defer { limit.cancel() }
    let text = await withCheckedContinuation { continuation in
      // On a dedicated thread, because reading blocks, and all other tests share a few threads.
      Thread.detachNewThread { [master] in
        continuation.resume(returning: read(master) { watch($0, running) })
      }
    }
    return (try await running.result().code, text)
  }

  /// Reads until the last process has closed the terminal, which is an error on Linux.
  private static func read(_ master: Int32, _ watch: (String) -> Void) -> String {
    var drawn = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = systemRead(master, &buffer)
      if count > 0 {
        drawn.append(contentsOf: buffer[..<count])
        watch(String(decoding: drawn, as: UTF8.self))
      }
      if count == 0 || (count < 0 && errno != EINTR) { return String(decoding: drawn, as: UTF8.self) }
    }
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
  read(descriptor, &buffer, buffer.count)
}
