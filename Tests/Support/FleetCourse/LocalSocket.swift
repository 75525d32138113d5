#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Blocking sockets on 127.0.0.1.
enum LocalSocket {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Listens on a free port.
  static func listener() throws -> (descriptor: Int32, port: Int) {
    let descriptor = make()
    var address = address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) | listen(descriptor, 64) | getsockname(descriptor, pointer, &length)
      }
    }
    guard code == 0 else { throw Failure(description: String(cString: strerror(errno))) }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// Connects to a port; nil if that fails.
  static func connection(to port: Int) -> Int32? {
    let descriptor = make()
    var address = address(port: UInt16(port))
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    if code == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  /// Returns the descriptors that have something to read, each with the other one.
  static func readable(_ one: Int32, _ other: Int32, within milliseconds: Int32) -> [(Int32, Int32)] {
    var entries = [one, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&entries, 2, milliseconds) > 0 else { return [] }
    return [(one, other), (other, one)].enumerated().filter { entries[$0.offset].revents != 0 }.map(\.element)
  }

  static func writeAll(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, noSignal) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  #if canImport(Darwin)
    private static let noSignal: Int32 = 0
  #else
    private static let noSignal = Int32(MSG_NOSIGNAL)
  #endif

  private static func make() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
