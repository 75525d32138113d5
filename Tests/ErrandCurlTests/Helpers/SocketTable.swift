#if os(Linux)
  import Foundation

  /// The kernel's table of this machine's sockets, which tells more than either end can see.
  enum SocketTable {
    enum State: String {
      case established = "01"
      /// Connecting: the other side has not responded yet.
      case synSent = "02"
    }

    /// Returns the local ports of the sockets that are connected, or connecting, to a port of 127.0.0.1.
    static func locals(to port: Int, _ state: State) throws -> Set<Substring> {
      let digits = String(port, radix: 16, uppercase: true)
      let remote = "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
      // Read in pieces: the file has no length, and reading a whole file stops at the first page.
      let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
      defer { try? file.close() }
      let lines = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
      return Set(
        lines.compactMap { line in
          let columns = line.split(separator: " ")
          guard columns.count > 3, columns[2] == remote, columns[3] == state.rawValue else { return nil }
          return columns[1]
        })
    }
  }
#endif
