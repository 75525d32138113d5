#if os(Linux)
  import Foundation

  /// The kernel's table of this machine's sockets, which shows more than either end can see.
  enum SocketTable {
    enum State: String {
      case established = "01"
      /// Connecting: the other side has not responded yet.
      case synSent = "02"
    }

    /// Returns the number of bytes that have arrived from a port of 127.0.0.1 and were not read yet.
    static func waiting(from port: Int) throws -> Int {
      try rows(to: port).reduce(0) { sum, columns in
        sum + (columns[4].split(separator: ":").last.flatMap { Int($0, radix: 16) } ?? 0)
      }
    }

    /// Returns the local ports of the sockets that are connected, or connecting, to a port of 127.0.0.1.
    static func locals(to port: Int, _ state: State) throws -> Set<Substring> {
      Set(try rows(to: port).filter { $0[3] == state.rawValue }.map { $0[1] })
    }

    /// The columns of the sockets to a port of 127.0.0.1.
    private static func rows(to port: Int) throws -> [[Substring]] {
      let digits = String(port, radix: 16, uppercase: true)
      let remote = "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
      // Read in pieces, because the file has no length, and reading it as a whole would stop after the first
      // page.
      let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
      defer { try? file.close() }
      let lines = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
      return lines.map { $0.split(separator: " ") }.filter { $0.count > 4 && $0[2] == remote }
    }
  }
#endif
