#if os(Linux)
  import CSandbox
  import Dispatch
  import ErrandTesting
  import TestSupport
  import Testing

  @testable import ErrandReachability

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// Reachability as the kernel reports it, in network namespaces created for the tests.
  @Suite(
    .enabled(if: NetworkNamespace.isAllowed, "network namespaces need root and iproute2"),
    .computesLong, .timeLimit(.minutes(1)))
  struct ReachabilityTests {
    private func watch(_ network: NetworkNamespace) throws -> Reachability {
      let socket = try #require(try network.run { NetlinkSocket() })
      return Reachability { NetlinkWatch(socket, $0) }
    }

    private func wait(for status: NetworkStatus, _ reachability: Reachability) async {
      for await now in reachability.updates where now == status { return }
    }

    /// Returns a network with a cable whose ends are both in it; `near` has an address.
    private func wired() async throws -> NetworkNamespace {
      let network = try NetworkNamespace()
      try network.ip(
        "link add near type veth peer name far", "address add 192.0.2.1/24 dev near", "link set near up",
        "link set far up")
      // The kernel notices a carrier with a delay.
      await wait(for: .online, try watch(network))
      return network
    }

    @Test func `a machine with only a loopback link is offline`() throws {
      let network = try NetworkNamespace()
      #expect(try watch(network).current == .offline)
      try network.ip("link set lo up")
      #expect(try watch(network).current == .offline)
    }

    @Test func `the first result is correct at once`() async throws {
      let network = try await wired()
      #expect(try watch(network).current == .online)
    }

    @Test func `an address on a cable counts as a network, and its changes are reported`() async throws {
      let network = try NetworkNamespace()
      let reachability = try watch(network)
      #expect(reachability.current == .offline)
      try network.ip("link add near type veth peer name far", "link set near up", "link set far up")
      try network.ip("address add 192.0.2.1/24 dev near")
      await wait(for: .online, reachability)
      try network.ip("address delete 192.0.2.1/24 dev near")
      await wait(for: .offline, reachability)
    }

    @Test func `the network is lost when a link goes down, and returns with the link`() async throws {
      let network = try await wired()
      let reachability = try watch(network)
      #expect(reachability.current == .online)
      for _ in 0..<3 {
        try network.ip("link set near down")
        await wait(for: .offline, reachability)
        try network.ip("link set near up")
        await wait(for: .online, reachability)
      }
    }

    @Test func `a lost carrier is a lost network, even if the routes remain`() async throws {
      let network = try await wired()
      let reachability = try watch(network)
      #expect(reachability.current == .online)
      try network.ip("link set far down")
      await wait(for: .offline, reachability)
      try network.ip("link set far up")
      await wait(for: .online, reachability)
    }

    @Test func `a deleted link is gone`() async throws {
      let network = try await wired()
      let reachability = try watch(network)
      #expect(reachability.current == .online)
      try network.ip("link delete near")
      await wait(for: .offline, reachability)
    }

    @Test func `IPv6 alone counts as a network, and link-local addresses do not`() async throws {
      let network = try NetworkNamespace()
      try network.ip(
        "link set lo up", "link add near type veth peer name far", "link set near up", "link set far up",
        "-6 address add fe80::1/64 dev near nodad")
      let reachability = try watch(network)
      #expect(reachability.current == .offline)
      try network.ip("-6 route add default via fe80::2 dev near")
      await wait(for: .online, reachability)
      try network.ip("-6 route delete default")
      await wait(for: .offline, reachability)
    }

    @Test func `routes of all kinds are parsed as the kernel reports them`() async throws {
      for route in [
        "default via 192.0.2.254", "10.0.0.0/8 via 192.0.2.254 table 51820",
        "198.51.100.0/24 nexthop via 192.0.2.2 weight 1 nexthop via 192.0.2.3 weight 2",
      ] {
        let network = try await wired()
        // The network's own route must not be the one that counts.
        try network.ip("route add \(route)", "route delete 192.0.2.0/24")
        #expect(try watch(network).current == .online, "\(route)")
      }
      for route in ["unreachable default", "blackhole default", "prohibit default"] {
        let network = try await wired()
        try network.ip("route delete 192.0.2.0/24", "route add \(route)")
        #expect(try watch(network).current == .offline, "\(route)")
      }
    }

    @Test func `a monitor reads the network again when its socket's buffer overflows`() async throws {
      let network = try await wired()
      let queue = DispatchQueue(label: "test")
      let socket = try #require(try network.run { NetlinkSocket() })
      // The kernel raises this to its smallest buffer.
      var room: Int32 = 1
      #expect(
        setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size)) == 0)
      let reachability = Reachability { tell in NetlinkWatch(socket, on: queue, tell) }
      #expect(reachability.current == .online)
      queue.suspend()
      // These events change nothing that counts, and fill the buffer. The event that counts comes afterwards
      // and is lost.
      for number in 0..<10 { try network.ip("link set near alias number\(number)") }
      try network.ip("link set near down")
      queue.resume()
      await wait(for: .offline, reachability)
    }

    @Test func `a routing table that is too large for the first read is read completely`() async throws {
      let network = try await wired()
      // The kernel reports these routes before the one that counts.
      try network.ip(all: (0..<15_000).map { "route add unreachable 10.\($0 / 256).\($0 % 256).0/24" })
      let reachability = try watch(network)
      #expect(reachability.current == .unknown)
      await wait(for: .online, reachability)
    }

    @Test func `the socket is closed when its last watcher is released`() async throws {
      let network = try await wired()
      let socket = try #require(try network.run { NetlinkSocket() })
      let file = "/proc/self/fd/\(socket.descriptor)"
      var reachability: Reachability? = Reachability { NetlinkWatch(socket, $0) }
      #expect(reachability?.current == .online)
      let name = target(of: file)
      #expect(name?.hasPrefix("socket:") == true)
      reachability = nil
      while target(of: file) == name { await Task.yield() }
    }

    private func target(of link: String) -> String? {
      var name = [UInt8](repeating: 0, count: 100)
      let count = name.withUnsafeMutableBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { readlink(link, $0.baseAddress!, $0.count) }
      }
      return count < 0 ? nil : String(decoding: name.prefix(count), as: UTF8.self)
    }
  }

  @Suite struct ForbiddenReachabilityTests {
    @Test func `the status is unknown if the kernel may not be asked`() throws {
      let status = try OwnThread.run {
        #expect(errand_forbid_netlink() == 0)
        return Reachability().current
      }
      #expect(status == .unknown)
    }
  }
#endif
