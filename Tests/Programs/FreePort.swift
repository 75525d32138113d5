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
/// They lie below those that the system gives to who asks for any: one of these would be given to the next
/// socket as soon as it is let go.
package enum FreePort {
  private static let range = 20_000..<32_000
  /// Processes that run beside each other begin at different places.
  private static let next = Locked(Int(getpid()) * 97 % range.count)

  /// A port that no server has, and that this process does not return a second time before it has been around.
  package static func take() throws -> Int {
    for _ in range {
      let port = next.withLock { next in
        next = (next + 1) % range.count
        return range.lowerBound + next
      }
      if isFree(port) { return port }
    }
    throw Program.Failure(description: "there is no free port")
  }

  private static func isFree(_ port: Int) -> Bool {
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
        bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
