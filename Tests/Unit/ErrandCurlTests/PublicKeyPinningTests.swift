import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@Suite("Pinned keys on the libcurl transport", .timeLimit(.minutes(1)))
struct PublicKeyPinningTests {
  let nginx: Nginx
  /// The pin of the certificate that the servers have, and another one.
  let good: String
  let other: String

  init() async throws {
    nginx = try await Nginx()
    good = try await nginx.certificates.pin(of: "good")
    other = try await nginx.certificates.pin(of: "unknown")
  }

  private func client(
    _ pins: [String: [String]], _ configure: (inout CurlConfiguration) -> Void = { _ in }
  ) -> Client {
    var curl = CurlConfiguration()
    curl.certificateAuthorityFile = nginx.certificates.authority
    curl.tls.pins = pins
    curl.hostOverrides = ["pins.test", "a.pins.test", "b.a.pins.test"].map {
      CurlConfiguration.HostOverride(host: $0, port: nginx.port("good"), address: "127.0.0.1")
    }
    configure(&curl)
    return Client(transport: CurlTransport(configuration: curl))
  }

  private func code(_ client: Client, _ url: String) async -> RequestError.Code? {
    do {
      try await client.send(.get(url))
      return nil
    } catch {
      return (error as? RequestError)?.code
    }
  }

  @Test func `a mismatch names the host and the actual key, and is not retried`() async throws {
    let error = await #expect(throws: RequestError.self) {
      try await client(["localhost": [other]]).send(.get(nginx.url("good")))
    }
    #expect(error?.code == .pinMismatch)
    #expect(error?.message == "the public key of localhost is \(good), not the one that is pinned for it")
    #expect(error?.attempt == 1)
    #expect(error?.reachedServer == false)
    let several = await #expect(throws: RequestError.self) {
      try await client(["localhost": [other], "*": ["sha256/\(Data(count: 32).base64EncodedString())"]])
        .send(.get(nginx.url("good")))
    }
    #expect(
      several?.message == "the public key of localhost is \(good), none of the 2 that are pinned for it")
  }

  @Test func `a pin applies to its host, and to no other`() async throws {
    let client = client(["localhost": [other], "127.0.0.1": [other, good]])
    for _ in 0..<3 {
      #expect(await code(client, nginx.url("good")) == .pinMismatch)
      #expect(await code(client, nginx.url("good", host: "127.0.0.1")) == nil)
      #expect(await code(client, nginx.url("good", host: "pins.test")) == nil)
    }
  }

  @Test func `a wildcard matches one label`() async throws {
    let client = client(["*.pins.test": [other]])
    #expect(await code(client, nginx.url("good", host: "a.pins.test")) == .pinMismatch)
    #expect(await code(client, nginx.url("good", host: "pins.test")) == nil)
    #expect(await code(client, nginx.url("good", host: "b.a.pins.test")) == nil)
    let all = self.client(["*": [other]])
    #expect(await code(all, nginx.url("good", host: "pins.test")) == .pinMismatch)
  }

  @Test(arguments: ["LOCALHOST", "localhost.", "%6Cocalhost", "localhos%74", "Localhost."])
  func `no other spelling of a host bypasses its pin`(_ host: String) async throws {
    let wrong = await code(client(["localhost": [other]]), nginx.url("good", host: host))
    let right = await code(client(["localhost": [good]]), nginx.url("good", host: host))
    // If the request can be sent at all, its key is compared.
    #expect(
      wrong == .pinMismatch ? right == nil : wrong == right && wrong != nil,
      "\(host): \(String(describing: wrong))")
  }

  @Test func `a client with pins does not reuse a connection of a client without pins`() async throws {
    #expect(await code(client([:]), nginx.url("good")) == nil)
    #expect(await code(client(["localhost": [other]]), nginx.url("good")) == .pinMismatch)
  }

  @Test func `a redirect to a host with another key fails, and a redirect to a host without a pin does not`()
    async throws
  {
    let url = nginx.url("good", "/to?host=127.0.0.1:\(nginx.port("good"))")
    #expect(await code(client(["localhost": [good], "127.0.0.1": [other]]), url) == .pinMismatch)
    #expect(await code(client(["localhost": [good], "127.0.0.1": [good]]), url) == nil)
    #expect(await code(client(["localhost": [good]]), url) == nil)
  }

  @Test(arguments: [["localhost": ["sha256/AAAA"]], ["https://localhost": ["sha256/"]], ["localhost": []]])
  func `invalid pins fail every request`(_ pins: [String: [String]]) async throws {
    #expect(await code(client(pins), nginx.url("good")) == .invalidConfiguration)
    #expect(await code(client(pins), "http://127.0.0.1:9/") == .invalidConfiguration)
  }

  #if os(Linux)
    @Test func `a pin applies to the server's key, not to the key of an https proxy in between`() async throws
    {
      let target = nginx.port("good")
      let proxy = try RawProxy { _ in .tunnel(target) }
      defer { proxy.stop() }
      let certificates = nginx.certificates
      // Its key is different, although its name is the same.
      try await certificates.makeProxy()
      let relay = try await TLSRelay(to: proxy.port, "proxy", of: certificates)
      let proxyPin = try await certificates.pin(of: "proxy")
      func code(_ pin: String) async -> RequestError.Code? {
        let client = client(["localhost": [pin]]) { $0.proxy = .url("https://localhost:\(relay.port)") }
        return await self.code(client, nginx.url("good"))
      }
      let (matching, other) = (await code(good), await code(proxyPin))
      #expect(matching == nil)
      #expect(other == .pinMismatch)
      let handshakes = await relay.handshakes(2)
      #expect(handshakes == ["-", "-"])
    }
  #endif
}
