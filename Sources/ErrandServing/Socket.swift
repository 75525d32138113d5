#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The system's sockets, as far as a server needs them. Callers close the descriptors.
package enum Socket {
  package enum Outcome {
    case bytes(Int)
    case wouldBlock
    /// The other side has closed the connection.
    case ended
    /// The other side has reset the connection, or the connection has failed.
    case failed
  }

  /// The poll event for a peer that has closed the connection, if the system reports it without a read; else 0.
  package static let closedByPeer: Int16 = {
    #if canImport(Darwin)
      0
    #else
      0x2000  // POLLRDHUP, which Swift does not import without _GNU_SOURCE
    #endif
  }()

  /// - Parameter isIPv6: True for a socket of IPv6 only. Default: false, for IPv4.
  package static func make(isIPv6: Bool = false) throws(SocketError) -> Int32 {
    let family = isIPv6 ? AF_INET6 : AF_INET
    #if canImport(Glibc)
      let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
      let descriptor = socket(family, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw .system("cannot make a socket") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  /// Binds a socket to a port; 0 for any free port.
  /// - Parameters:
  ///   - isOpen: True for all addresses of the machine, false for 127.0.0.1 or ::1 only.
  ///   - isIPv6: True for a socket of IPv6.
  package static func bind(
    _ descriptor: Int32, port: Int, isOpen: Bool = false, isIPv6: Bool = false
  ) throws(SocketError) {
    guard in_port_t(exactly: port) != nil else {
      throw SocketError(
        description: "cannot use port \(port): use 0 for a free port, or one up to \(in_port_t.max)")
    }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    if isIPv6 {
      setsockopt(
        descriptor, Int32(IPPROTO_IPV6), Int32(IPV6_V6ONLY), &yes, socklen_t(MemoryLayout<Int32>.size))
    }
    let bind = { (address: UnsafePointer<sockaddr>, length: socklen_t) -> Int32 in
      #if canImport(Darwin)
        Darwin.bind(descriptor, address, length)
      #elseif canImport(Musl)
        Musl.bind(descriptor, address, length)
      #else
        Glibc.bind(descriptor, address, length)
      #endif
    }
    let code =
      isIPv6
      ? withIPv6Address(isOpen: isOpen, port, bind) : withAddress(isOpen ? 0 : loopback, port, bind)
    let place = isOpen ? "" : isIPv6 ? " of ::1" : " of 127.0.0.1"
    guard code == 0 else { throw .system("cannot use port \(port)\(place)") }
  }

  /// Begins to connect to a port of 127.0.0.1, without waiting for the connection.
  package static func beginConnecting(_ descriptor: Int32, port: Int) {
    setNonBlocking(descriptor)
    _ = withAddress(loopback, port) { address, length in connect(descriptor, address, length) }
  }

  package static func port(of descriptor: Int32) -> Int {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static let loopback: UInt32 = 0x7F00_0001

  private static func withAddress(
    _ host: UInt32, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    #if canImport(Darwin)
      address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    #endif
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = host.bigEndian
    return pass(address, to: body)
  }

  private static func withIPv6Address(
    isOpen: Bool, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in6()
    #if canImport(Darwin)
      address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
    #endif
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = in_port_t(port).bigEndian
    if !isOpen { withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 } }
    return pass(address, to: body)
  }

  /// Calls the body with the address of either family as the system's functions take it.
  private static func pass<Address>(
    _ address: Address, to body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  package static func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
  }

  /// Configures an accepted connection: non-blocking, without SIGPIPE, without delay of small segments.
  package static func prepareAccepted(_ descriptor: Int32) {
    setNonBlocking(descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    #if canImport(Darwin)
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  package static func receive(_ descriptor: Int32, into room: UnsafeMutableRawBufferPointer) -> Outcome {
    while true {
      let count = recv(descriptor, room.baseAddress, room.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .ended }
      if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
      if errno != EINTR { return .failed }
    }
  }

  package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Outcome {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    while true {
      #if canImport(Darwin)
        let count = Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
      #elseif canImport(Musl)
        let count = Musl.send(descriptor, bytes.baseAddress, bytes.count, flags)
      #else
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
      #endif
      if count >= 0 { return .bytes(count) }
      if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
      if errno != EINTR { return .failed }
    }
  }

  /// Closes the sending side. The socket can still receive.
  package static func endSending(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Closes the socket with an RST instead of a FIN.
  package static func reset(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }
}

/// The error for a socket that the system could not make or bind.
package struct SocketError: Error, Sendable, CustomStringConvertible {
  package let description: String
  /// The system's number of the reason; 0 if the system gave none.
  package let code: Int32

  package init(description: String, code: Int32 = 0) { (self.description, self.code) = (description, code) }

  /// Returns an error with the system's reason.
  package static func system(_ what: String) -> SocketError {
    let code = errno
    return SocketError(description: "\(what): \(String(cString: strerror(code)))", code: code)
  }
}
