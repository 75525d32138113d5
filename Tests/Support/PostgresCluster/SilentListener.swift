import Foundation
import Programs

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A port of 127.0.0.1 that accepts connections and never responds.
package final class SilentListener: Sendable {
  package let port: Int
  private let descriptor: Int32

  package init() throws {
    port = try FreePort.take()
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // Programs that other tests start do not inherit it.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) | listen(descriptor, 16)
      }
    }
    guard code == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  deinit { _ = close(descriptor) }
}
