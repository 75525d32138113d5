import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Concurrent requests of every kind, chosen at random.
@Suite struct SlotLoadTests {
  private enum Kind: CaseIterable {
    case sent, retried, redirected, read, dropped, downloaded, shared, refused, cancelled, nested
  }

  private static func step(_ request: StubRequest, _ waits: Int, _ again: Bool) async -> StubStep {
    for _ in 0..<waits { await Task.yield() }
    return switch request.path {
    case "/retried" where again: .response(status: 503)
    case "/redirected": .response(status: 302, fields: ["Location": "/sent"])
    case "/refused": .response(status: 404)
    case "/read", "/dropped": .response(chunks: [ByteStream.largeChunk, ByteStream.largeChunk])
    default: .response(body: "response")
    }
  }

  @Test(arguments: [UInt64](1...6))
  func `the number of requests in transfer never exceeds the limits`(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    var limits = ConcurrencyLimits(total: Int.random(in: 1...4, using: &random))
    if Bool.random(using: &random) { limits.perOrigin = Int.random(in: 1...2, using: &random) }
    limits.reserved = Int.random(in: 0...2, using: &random)
    let chance = Locked(SeededRandom(seed: seed + 100))
    let stub = StubTransport { request in
      let (waits, again) = chance.withLock { ($0.next() % 4, $0.next() % 2 == 0) }
      return await Self.step(request, Int(waits), again)
    }
    let hosts = HostCounter(stub)
    let interceptor = SendsBefore("/nested") { .get("http://a.test/inner") }
    interceptor.gate.open()
    var configuration = ClientConfiguration()
    configuration.clock = VirtualClock()
    configuration.limits = limits
    configuration.retry.backoff = .zero
    configuration.attemptInterceptors = [interceptor]
    let client = Client(transport: hosts, configuration: configuration)
    interceptor.client.withLock { $0 = client }
    let folder = try CacheTestFolder()
    await withTaskGroup { group in
      for index in 0..<150 {
        guard let kind = Kind.allCases.randomElement(using: &random) else { continue }
        // The interceptor of a nested request sends to this host, too.
        let host = kind == .nested ? "a" : ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
        let priority = Priority.allCases[Int.random(in: 0..<4, using: &random)]
        let request = Request.get("http://\(host).test/\(kind)").priority(priority)
        let patience = Int.random(in: 0..<40, using: &random)
        let file = folder.url.appending(path: "\(index)")
        group.addTask { await Self.perform(kind, request, client, file, patience) }
      }
    }
    await client.pipeline.inFlight.whenEmpty()
    #expect(client.pipeline.slots.load == SlotLoad())
    #expect(stub.mostInFlight <= limits.total ?? .max)
    #expect(hosts.most <= limits.perOrigin ?? .max)
    #expect(stub.inFlight == 0)
    interceptor.client.withLock { $0 = nil }
  }

  private static func perform(
    _ kind: Kind, _ request: Request, _ client: Client, _ file: URL, _ patience: Int
  ) async {
    switch kind {
    case .sent, .retried, .redirected, .refused, .nested: _ = try? await client.send(request)
    case .shared: _ = try? await client.send(request.shared())
    case .downloaded: _ = try? await client.download(request, to: file)
    case .read: _ = try? await client.stream(request).chunks.readAll()
    case .dropped: _ = try? await client.stream(request)
    case .cancelled:
      let task = Task { try await client.send(request) }
      for _ in 0..<patience { await Task.yield() }
      task.cancel()
      _ = try? await task.value
    }
  }
}
