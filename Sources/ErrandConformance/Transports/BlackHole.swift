import ErrandServing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A port of 127.0.0.1 to which a client cannot connect.
final class BlackHole: Sendable {
  let port: Int
  private let descriptors: [Int32]

  private init(port: Int, descriptors: [Int32]) {
    self.port = port
    self.descriptors = descriptors
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  /// A port that is bound but has no listener, so that the system refuses connections.
  static func refusing() throws -> BlackHole {
    let descriptor = try Socket.make()
    try Socket.bind(descriptor, port: 0)
    return BlackHole(port: Socket.port(of: descriptor), descriptors: [descriptor])
  }

  /// A port whose backlog is full, so that the system drops new connections; nil if this system does not drop
  /// them.
  static func silent() throws -> BlackHole? {
    #if os(Linux)
      let listener = try Socket.make()
      try Socket.bind(listener, port: 0)
      listen(listener, 0)
      let port = Socket.port(of: listener)
      var descriptors = [listener]
      // The backlog holds one or two connections. The others wait endlessly, as the client's will.
      for _ in 0..<8 {
        let filler = try Socket.make()
        Socket.beginConnecting(filler, port: port)
        descriptors.append(filler)
      }
      return BlackHole(port: port, descriptors: descriptors)
    #else
      return nil
    #endif
  }
}
