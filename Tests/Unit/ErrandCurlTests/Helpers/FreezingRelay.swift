#if os(Linux)
  import ErrandCore
  import Foundation

  /// Relays bytes to a port of 127.0.0.1 until it is frozen. Then its connections stay open without any
  /// traffic, as behind a router that has forgotten them.
  final class FreezingRelay: Sendable {
    private struct State {
      var frozen: Set<Int32> = []
      var open: Set<Int32> = []
      var isStopped = false
    }

    let port: Int
    private let listener: Int32
    private let target: Int
    private let state = Locked(State())

    init(to target: Int) throws {
      self.target = target
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard Self.with(0, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
        throw POSIXError(.EADDRINUSE)
      }
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      _ = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
      }
      self.listener = listener
      port = Int(UInt16(bigEndian: address.sin_port))
      Thread.detachNewThread { [self] in accept() }
    }

    /// Freezes the open connections; new ones are relayed.
    func freeze() { state.withLock { $0.frozen = $0.open } }

    /// Closes everything.
    func stop() {
      let open = state.withLock { state in
        state.isStopped = true
        return state.open
      }
      for descriptor in open.union([listener]) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private func accept() {
      while true {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { break }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        _ = Self.with(target) { connect(server, $0, $1) }
        state.withLock { $0.open.formUnion([client, server]) }
        Thread.detachNewThread { [self] in pass(from: client, to: server) }
        Thread.detachNewThread { [self] in pass(from: server, to: client) }
      }
      close(listener)
    }

    private func pass(from source: Int32, to sink: Int32) {
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = read(source, &bytes, bytes.count)
        guard count > 0 else { break }
        if state.withLock({ $0.frozen.contains(source) }) { continue }
        var sent = 0
        while sent < count {
          let more = bytes[sent..<count].withUnsafeBytes {
            send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          guard more > 0 else { break }
          sent += more
        }
      }
      // A frozen connection does not even pass on its end.
      guard !state.withLock({ $0.frozen.contains(source) && !$0.isStopped }) else { return }
      shutdown(sink, Int32(SHUT_WR))
    }

    private static func with(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
  }
#endif
