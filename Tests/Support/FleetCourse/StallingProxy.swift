import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A proxy in front of a port of this machine that can stall its traffic: both sides keep their connections,
/// and neither receives anything from the other.
final class StallingProxy: Sendable {
  private struct State {
    var isStalled = false
    var isOver = false
    /// The two ends of each connection.
    var connections: [(Int32, Int32)] = []
  }

  private static let step: Int32 = 20

  let port: Int
  private let listener: Int32
  private let target: Int
  private let state = Locked(State())

  /// - Parameter target: The port of the server.
  init(before target: Int) throws {
    let socket = try LocalSocket.listener()
    (listener, port) = (socket.descriptor, socket.port)
    self.target = target
    guard SystemThread.start({ self.accept() }) else { throw LocalSocket.Failure(description: "no thread") }
  }

  /// Stalls all traffic.
  func stall() { state.withLock { $0.isStalled = true } }

  /// Delivers everything that was delayed.
  func resume() { state.withLock { $0.isStalled = false } }

  /// Ends all connections, and lets new ones pass.
  func reset() {
    state.withLock { state in
      for (one, other) in state.connections {
        shutdown(one, Int32(SHUT_RDWR))
        shutdown(other, Int32(SHUT_RDWR))
      }
      state.isStalled = false
    }
  }

  func stop() {
    reset()
    state.withLock { $0.isOver = true }
  }

  private var isStalled: Bool { state.withLock { $0.isStalled } }
  private var isOver: Bool { state.withLock { $0.isOver } }

  private func accept() {
    defer { close(listener) }
    while !isOver {
      guard LocalSocket.isReadable(listener, within: Self.step), !isStalled else { continue }
      let client = Self.acceptOne(listener)
      guard client >= 0 else { continue }
      guard let server = LocalSocket.connection(to: target) else {
        close(client)
        continue
      }
      state.withLock { $0.connections.append((client, server)) }
      guard SystemThread.start({ self.pass(client, server) }) else { return }
    }
  }

  private static func acceptOne(_ listener: Int32) -> Int32 {
    #if canImport(Darwin)
      Darwin.accept(listener, nil, nil)
    #elseif canImport(Musl)
      Musl.accept(listener, nil, nil)
    #else
      Glibc.accept(listener, nil, nil)
    #endif
  }

  /// Passes bytes both ways until one side ends.
  private func pass(_ client: Int32, _ server: Int32) {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    loop: while !isOver {
      if isStalled {
        usleep(UInt32(Self.step) * 1000)
        continue
      }
      for (from, to) in LocalSocket.readable(client, server, within: Self.step) {
        // Bytes that were ready before a stall wait for its end.
        if isStalled { continue loop }
        let count = read(from, &buffer, buffer.count)
        guard count > 0, LocalSocket.writeAll(to, buffer[..<count]) else { break loop }
      }
    }
    state.withLock { $0.connections.removeAll { $0 == (client, server) } }
    close(client)
    close(server)
  }
}
