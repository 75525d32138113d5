#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A port of 127.0.0.1 that a client cannot get an answer from.
final class BlackHole: Sendable {
  let port: Int
  private let descriptors: [Int32]

  private init(port: Int, descriptors: [Int32]) {
    self.port = port
    self.descriptors = descriptors
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  /// A port that is taken, and on which nobody listens: connections are refused.
  static func refusing() throws -> BlackHole {
    let descriptor = try Socket.make()
    try Socket.bind(descriptor, port: 0)
    return BlackHole(port: Socket.port(of: descriptor), descriptors: [descriptor])
  }

  /// A port whose queue is full, so that the system drops what wants to connect. Nil if this system does not.
  static func silent() throws -> BlackHole? {
    #if os(Linux)
      let listener = try Socket.make()
      try Socket.bind(listener, port: 0)
      listen(listener, 0)
      let port = Socket.port(of: listener)
      var descriptors = [listener]
      // The queue holds one or two; those that are left over wait in vain, as the client will.
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
