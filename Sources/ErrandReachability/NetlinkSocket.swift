#if os(Linux)
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A socket on which the kernel reports links and routes, in the network namespace of the thread that made
  /// it. Close it with `end()`. Constants of the netlink headers are written as numbers, because Swift does
  /// not import them.
  struct NetlinkSocket: Sendable {
    enum Outcome {
      case bytes([UInt8])
      case nothingYet
      /// Messages were lost, because the receive buffer was too small.
      case lost
      case failed(Int32)
    }

    /// More bytes than the kernel puts into one datagram of a dump.
    private static let room = 65_536
    private static let truncation = Int32(MSG_TRUNC)

    let descriptor: Int32

    /// Returns nil if the system does not allow such a socket.
    init?() {
      #if canImport(Musl)
        let type = SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK
      #else
        let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      #endif
      let routing: Int32 = 0
      descriptor = socket(AF_NETLINK, type, routing)
      guard descriptor >= 0 else { return nil }
      let links: UInt32 = 0x1
      let routes: UInt32 = 0x40 | 0x400
      var address = NetlinkAddress(groups: links | routes)
      guard unsafe address.withPointer({ unsafe bind(descriptor, $0, $1) }) == 0 else {
        end()
        return nil
      }
    }

    func end() { close(descriptor) }

    /// Sends a request. Returns 0, or the number of an error.
    func ask(_ request: NetlinkRequest, number: UInt32) -> Int32 {
      let bytes = request.bytes(number: number)
      while unsafe send(descriptor, bytes, bytes.count, 0) < 0 {
        if errno != EINTR { return errno }
      }
      return 0
    }

    func receive() -> Outcome {
      var length = 0
      var error: Int32 = 0
      var sender = NetlinkAddress()
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.room) { room, count in
        repeat {
          // With this flag the kernel returns the datagram's full length, even if it was truncated.
          length = unsafe sender.withPointer {
            unsafe recvfrom(descriptor, room.baseAddress, room.count, Self.truncation, $0, &$1)
          }
          error = errno
        } while length < 0 && error == EINTR
        count = Swift.max(0, Swift.min(length, room.count))
      }
      if length > Self.room { return .lost }
      // Other processes may also send to this socket. Their messages are ignored.
      if length >= 0 { return .bytes(sender.isKernel ? bytes : []) }
      return switch error {
      case EAGAIN: .nothingYet
      case ENOBUFS: .lost
      default: .failed(error)
      }
    }
  }

  /// The address of a netlink socket, which Swift does not import: a family, a port, and the groups to which
  /// the socket listens.
  struct NetlinkAddress {
    private var family = UInt16(AF_NETLINK)
    private var padding: UInt16 = 0
    /// The kernel has port 0. A socket that requests 0 gets an assigned port.
    private var port: UInt32 = 0
    private var groups: UInt32

    init(groups: UInt32 = 0) { self.groups = groups }

    var isKernel: Bool { port == 0 }

    mutating func withPointer<Result>(
      _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Result
    ) -> Result {
      var length = socklen_t(MemoryLayout<Self>.size)
      return unsafe withUnsafeMutableBytes(of: &self) { bytes in
        unsafe body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
      }
    }
  }
#endif
