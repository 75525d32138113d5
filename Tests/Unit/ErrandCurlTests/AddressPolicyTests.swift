import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore
@testable import ErrandCurl

@Suite struct AddressPolicyTests {
  private func allows(_ policy: AddressPolicy, _ address: String) throws -> Bool {
    policy.allows(try #require(AddressBlock.bytes(address)))
  }

  /// The first and the last addresses of each block, and their neighbours, from IANA's registries.
  @Test(arguments: [
    "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
    "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.0",
    "192.0.0.255",
    "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255",
    "198.51.100.1",
    "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.255",
    "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8",
    "100::1", "1fff::1", "2001::1", "2001:0:4136:e378::1", "2001:1ff::", "2001:db8::1", "2001:db8:ffff::",
    "2002:7f00:1::", "2002:c0a8:101::1", "3fff::", "3fff:fff::", "4000::", "5f00::1", "fc00::", "fd12::1",
    "fe80::1",
    "febf::1", "fec0::1", "ff02::1", "ffff::",
  ])
  func `an address that is not public is refused`(address: String) throws {
    #expect(try !allows(.publicOnly, address))
    #expect(try allows(.any, address))
  }

  @Test(arguments: [
    "1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0", "192.88.98.1", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
    "198.51.99.1",
    "203.0.112.1", "203.0.114.0", "223.255.255.255",
    "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2000::1", "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::",
    "2001:db9::", "2002:808:808::1", "2606:4700::1111", "3ffe::1", "3fff:1000::",
  ])
  func `a public address is accepted`(address: String) throws {
    #expect(try allows(.publicOnly, address))
  }

  @Test func `what is not an address is refused`() {
    #expect(!AddressPolicy.publicOnly.allows([]))
    #expect(!AddressPolicy.publicOnly.allows([8, 8, 8]))
  }

  @Test func `exceptions are accepted, also within IPv6`() throws {
    let policy = AddressPolicy.publicOnly(except: [
      "10.1.2.0/23", "127.0.0.1", "fd00:12::/32", "192.0.2.128/25",
    ])
    #expect(policy.problem == nil)
    for address in [
      "10.1.2.0", "10.1.3.255", "127.0.0.1", "::ffff:10.1.2.7", "fd00:12:1::1", "192.0.2.128", "8.8.8.8",
    ] {
      #expect(try allows(policy, address), "\(address)")
    }
    for address in ["10.1.4.0", "10.1.1.255", "127.0.0.2", "fd00:13::1", "192.0.2.127", "::1"] {
      #expect(try !allows(policy, address), "\(address)")
    }
  }

  @Test(arguments: [
    "", "/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/", "10.0.0.1/8", "10.0.0/8", "10.1",
    "fd00::/129",
    "fd00::1/64", "host", "10.0.0.0/8/8", "10.0.0.0 /8", "10.0.0.0/8\0",
  ])
  func `an exception that is not a block is a problem`(exception: String) {
    #expect(
      AddressPolicy.publicOnly(except: ["10.0.0.0/8", exception]).problem?.contains("exception") == true)
  }

  @Test func `an exception may be IPv4 addresses within IPv6`() throws {
    let policy = AddressPolicy.publicOnly(except: ["::ffff:10.0.0.0/104", "::ffff:192.168.1.1"])
    #expect(policy.problem == nil)
    #expect(policy.allows([10, 1, 2, 3]) && policy.allows([192, 168, 1, 1]))
    #expect(!policy.allows([192, 168, 1, 2]) && !policy.allows([127, 0, 0, 1]))
  }

  @Test func `a whole family can be an exception`() throws {
    let policy = AddressPolicy.publicOnly(except: ["0.0.0.0/0"])
    #expect(try allows(policy, "127.0.0.1") && !allows(policy, "::1"))
  }
}

/// The policy on sockets. The addresses are of the loopback, so nothing leaves the machine.
@Suite(.timeLimit(.minutes(1))) struct AddressPolicyOnSocketsTests {
  private let server: MockServer

  init() throws {
    server = try MockServer()
    server.otherwise { _ in .response(body: "here") }
  }

  private func client(
    _ policy: AddressPolicy, _ change: (inout CurlConfiguration) -> Void = { _ in }
  ) -> Client {
    var curl = CurlConfiguration()
    curl.proxy = .none
    curl.addressPolicy = policy
    change(&curl)
    return Client(transport: CurlTransport(configuration: curl))
  }

  private func failure(_ client: Client, _ request: Request) async -> RequestError? {
    do {
      try await client.send(request)
      return nil
    } catch { return error as? RequestError }
  }

  @Test(arguments: [
    "127.0.0.1", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "localhost", "LOCALHOST", "[::1]",
    "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "0", "127.0.0.53", "[::ffff:7f00:1]",
  ])
  func `a host of the machine is refused in every notation`(host: String) async throws {
    let error = await failure(client(.publicOnly), .get("http://\(host):\(server.port)/"))
    #expect(error?.code == .addressRefused, "\(error?.description ?? "no error")")
    #expect(error?.reachedServer == false && error?.attempt == 1)
    #expect(server.connections.isEmpty)
  }

  @Test func `the error names the host, and not its address`() async throws {
    let override = CurlConfiguration.HostOverride(
      host: "hook.example", port: server.port, address: "127.0.0.1")
    let error = await failure(
      client(.publicOnly) { $0.hostOverrides = [override] }, .get("http://hook.example:\(server.port)/"))
    #expect(
      error?.message == "the host hook.example has no public address, and the address policy refuses others "
        + "(CurlConfiguration.addressPolicy)")
    #expect(error.map { "\($0.underlying as Any)" }?.contains("127.0.0.1") == false)
    #expect(server.connections.isEmpty)
  }

  @Test func `exceptions are connected to, and other transports do not share their connections`() async throws
  {
    let url = server.url("/")
    let open = client(.publicOnly(except: ["127.0.0.1"]))
    for _ in 0..<2 { #expect(try await open.send(.get(url)).text == "here") }
    #expect(server.connections.count == 1)
    #expect(await failure(client(.publicOnly), .get(url))?.code == .addressRefused)
    #expect(server.connections.count == 1)
    // A refused request leaves the transport usable.
    #expect(try await open.send(.get(url)).text == "here")
  }

  @Test func `a redirect to a refused address is not followed`() async throws {
    let port = server.port
    server.on("/out") { _ in .redirect(307, to: "http://localhost:\(port)/secret") }
    let only = client(.publicOnly(except: ["127.0.0.1"])) {
      $0.hostOverrides = [.init(host: "localhost", port: port, address: "127.0.0.2")]
    }
    let error = await failure(only, .post(server.url("/out"), .text("x")))
    #expect(error?.code == .addressRefused && error?.message.contains("the host localhost") == true)
    #expect(server.requests.map(\.path) == ["/out"])
  }

  @Test func `a refused name is refused again, and its connection is not retried`() async throws {
    let override = CurlConfiguration.HostOverride(
      host: "hook.example", port: server.port, address: "127.0.0.1")
    let client = client(.publicOnly) { $0.hostOverrides = [override] }
    for _ in 0..<3 {
      let error = await failure(client, .get("http://hook.example:\(server.port)/").attempts(5))
      #expect(error?.code == .addressRefused && error?.attempt == 1)
    }
  }

  @Test func `a proxy or a Unix socket is refused with a policy`() async throws {
    let proxied = client(.publicOnly) { $0.proxy = .url("http://proxy.example:3128") }
    let error = await failure(proxied, .get("http://example.com/"))
    #expect(error?.code == .invalidConfiguration && error?.message.contains("proxy") == true)
    let local = client(.publicOnly) { $0.unixSocket = "/tmp/none" }
    #expect(await failure(local, .get("http://example.com/"))?.code == .invalidConfiguration)
    let wrong = client(.publicOnly(except: ["10.0.0.1/8"]))
    #expect(await failure(wrong, .get("http://example.com/"))?.code == .invalidConfiguration)
    var curl = CurlConfiguration()
    curl.addressPolicy = .publicOnly
    curl.proxy = .url("http://proxy.example:3128")
    #expect(throws: RequestError.self) { try CurlTransport(configuration: curl).checkConfiguration() }
  }
}
