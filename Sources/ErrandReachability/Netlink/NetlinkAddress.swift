#if os(Linux)
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// The address of a netlink socket, which Swift does not import: a family, a port, and the groups that the
  /// socket listens to.
  struct NetlinkAddress {
    private var family = UInt16(AF_NETLINK)
    private var padding: UInt16 = 0
    /// 0 is the kernel's port; a socket that asks for 0 gets one assigned.
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
