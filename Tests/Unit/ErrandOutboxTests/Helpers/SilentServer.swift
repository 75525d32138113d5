#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A port that accepts connections and never responds.
final class SilentServer: Sendable {
  private let file: Int32
  let port: Int

  init() {
    #if canImport(Glibc)
      file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      // Programs that other tests start do not inherit it.
      _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    #else
      file = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let file = file
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        precondition(bind(file, address, length) == 0 && listen(file, 64) == 0)
        _ = getsockname(file, address, &length)
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(file) }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}
