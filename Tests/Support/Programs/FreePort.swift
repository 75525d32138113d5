import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Ports of 127.0.0.1 for servers that cannot choose one themselves.
///
/// They lie below the ports that the system assigns to sockets without an explicit port: one of those would
/// be assigned to the next socket as soon as it is released.
package enum FreePort {
  private static let range = 20_000..<32_000
  /// Concurrent processes begin at different places.
  private static let next = Locked(Int(getpid()) * 97 % range.count)

  /// Returns a port that no server uses, and that this process does not return again before it has used all
  /// others.
  package static func take() throws -> Int {
    for _ in range {
      let port = next.withLock { next in
        next = (next + 1) % range.count
        return range.lowerBound + next
      }
      if isFree(port) { return port }
    }
    throw Program.Failure(description: "no port is free")
  }

  private static func isFree(_ port: Int) -> Bool {
    withSocket(to: port) { bind($0, $1, $2) == 0 }
  }

  /// Returns true if a server on this port accepts connections.
  package static func accepts(_ port: Int) -> Bool {
    withSocket(to: port) { connect($0, $1, $2) == 0 }
  }

  private static func withSocket(
    to port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    #if os(Linux)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let socket = socket(AF_INET, type, 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(port).bigEndian
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        body(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
