#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A socket that listens at a free port of 127.0.0.1. Its creator must close it.
public struct Listener: Sendable {
  /// The error of a socket that cannot listen.
  public struct Failed: Error, CustomStringConvertible {
    /// The reason, as a sentence.
    public let description: String
  }

  /// The file descriptor of the socket.
  public let descriptor: Int32
  /// The port, which the system chose.
  public let port: UInt16

  /// Begins to listen.
  /// - Parameter backlog: The greatest number of connections that wait to be accepted.
  public init(backlog: Int32) throws {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) | listen(descriptor, backlog)
          | getsockname(descriptor, pointer, &length)
      }
    }
    guard code == 0 else { throw Failed(description: String(cString: strerror(errno))) }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
  }
}
