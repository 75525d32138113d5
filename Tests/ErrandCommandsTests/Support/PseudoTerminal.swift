import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the tool on a terminal and returns all that it drew.
enum PseudoTerminal {
  static func run(_ arguments: String..., in folder: URL? = nil) async throws -> (code: Int32, text: String) {
    var (master, slave) = (Int32(-1), Int32(-1))
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, nil, nil, &size) == 0 else { throw POSIXError(.EIO) }
    defer { close(master) }
    let running = try Running(
      Tool.path, arguments, in: folder, terminal: FileHandle(fileDescriptor: slave, closeOnDealloc: false))
    close(slave)
    // Reads until the last one who has it open is gone, which is an error on Linux.
    let reader = Task.detached { [master] in
      var drawn = Data()
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(master, &buffer, buffer.count)
        if count > 0 { drawn.append(contentsOf: buffer[..<count]) }
        if count == 0 || (count < 0 && errno != EINTR) { return drawn }
      }
    }
    let text = String(decoding: await reader.value, as: UTF8.self)
    return (try await running.result().code, text)
  }
}
