import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

/// Customers behind one host: the failures of one do not affect another.
@Suite(.timeLimit(.minutes(1))) struct KeyTests {
  private let harness: OutboxHarness
  private var server: MockServer { harness.server }

  init() throws { harness = try OutboxHarness() }

  private func item(_ path: String, key: String?) -> OutboxItem {
    OutboxItem(.post(server.url(path)), key: key)
  }

  @Test func `a customer that is busy, or refuses, does not delay others on its host`() async throws {
    let isBusy = Locked(true)
    server.on("/busy") { _ in
      isBusy.withLock { $0 } ? .response(status: 429, fields: ["Retry-After": "3600"]) : .response()
    }
    server.on("/refused") { _ in .response(status: 401) }
    server.on("/good") { _ in .response() }
    let outbox = try await harness.outbox {
      // The holds last as long as the test.
      $0.delivery.backoff = .seconds(3600)
      $0.delivery.maxBackoff = .seconds(3600)
    }
    let busy = try await outbox.enqueue([item("/busy", key: "Ümlaut 1\n"), item("/busy", key: "Ümlaut 1\n")])
    let refused = try await outbox.enqueue([item("/refused", key: "two"), item("/refused", key: "two")])
    for receipt in [busy[0], refused[0]] {
      for await event in receipt.events { if case .failed = event.step { break } }
    }
    for key in ["three", nil] {
      let receipts = try await outbox.enqueue((0..<50).map { _ in item("/good", key: key) })
      for receipt in receipts { #expect(try await receipt.outcome().response != nil) }
    }
    let origin = "http://127.0.0.1:\(server.port)"
    let held = try await outbox.heldOrigins().sorted { $0.key ?? "" < $1.key ?? "" }
    #expect(held.map(\.origin) == [origin, origin])
    #expect(held.map(\.key) == ["two", "Ümlaut 1\n"])
    #expect(held.map(\.kind) == [.unauthorized, .busy])
    isBusy.withLock { $0 = false }
    try await outbox.resume(origin: origin, key: "Ümlaut 1\n")
    // The first one waits for the time that the server requested.
    #expect(try await busy[1].outcome().response != nil)
    await outbox.close(within: .zero)
  }

  @Test func `resuming an origin also resumes its keys, in an encrypted outbox and in another process, too`()
    async throws
  {
    let isGood = Locked(false)
    server.on("/") { _ in isGood.withLock { $0 } ? .response() : .response(status: 401) }
    let secret = OutboxKey.random()
    let change: (inout OutboxConfiguration) -> Void = {
      $0.key = secret
      $0.delivery.backoff = .seconds(3600)
      $0.delivery.maxBackoff = .seconds(3600)
    }
    let outbox = try await harness.outbox(nil, change)
    let receipts = try await outbox.enqueue([item("/", key: "acme"), item("/", key: "globex")])
    for receipt in receipts { for await event in receipt.events { if case .failed = event.step { break } } }
    let other = try await harness.outbox {
      change(&$0)
      $0.delivers = false
    }
    #expect(Set(try await other.heldOrigins().map(\.key)) == ["acme", "globex"])
    isGood.withLock { $0 = true }
    try await other.retry(.all)
    try await other.resume(origin: server.url("/any").absoluteString)
    for receipt in receipts { #expect(try await receipt.outcome().response != nil) }
    let names = try await outbox.store.rows(receipts.map(\.id)).compactMap { $0?.origin }
    #expect(Set(names).count == 2 && names.allSatisfy { !$0.contains("acme") && !$0.contains("127.0.0.1") })
    await other.close()
    await outbox.close()
  }

  @Test func `eighty customers that hang on one host do not delay another customer`() async throws {
    server.on("/hangs") { _ in .response(body: "never").stalling(at: .start) }
    server.on("/good") { _ in .response() }
    let client = harness.client { $0.timeout = .seconds(120) }
    let outbox = try await harness.outbox(client) { $0.delivers = false }
    try await outbox.enqueue((0..<80).map { item("/hangs", key: "hangs \($0)") })
    let good = try await outbox.enqueue((0..<20).map { _ in item("/good", key: "good") })
    outbox.deliver()
    for receipt in good { #expect(try await receipt.outcome().response != nil) }
    await outbox.close(within: .zero)
  }

  @Test func `an item's key takes precedence, and an export keeps it`() async throws {
    let outbox = try await harness.outbox {
      $0.delivers = false
      $0.keyOf = { $0.lane }
    }
    let receipts = try await outbox.enqueue([
      OutboxItem(.post(server.url("/")), lane: "lane", key: "own"),
      OutboxItem(.post(server.url("/")), lane: "lane"), OutboxItem(.post(server.url("/"))),
    ])
    let origin = "http://127.0.0.1:\(server.port)"
    let names = try await outbox.store.rows(receipts.map(\.id)).map { $0?.origin }
    #expect(names == ["\(origin) own", "\(origin) lane", origin])
    let lines = try await outbox.exportedLines()
    await outbox.close()
    let second = try OutboxHarness()
    let copy = try await second.outbox { $0.delivers = false }
    _ = try await copy.import(lines: lines)
    #expect(try await copy.store.rows(receipts.map(\.id)).map { $0?.origin } == names)
    await copy.close()
  }
}

/// The names of origins and keys in a store.
struct OriginAddressTests {
  private let url = URL(string: "https://Example.com/path?a=b")!

  @Test func `a name is visible ASCII, with one space before the key`() {
    #expect(OriginAddress(url).name(sealedWith: nil) == "https://example.com:443")
    let names = ["acme", "", "two words", "a%20b", "é", "e\u{301}", "line\r\n\0break", "🏠", "a b"].map {
      OriginAddress(url, key: $0).name(sealedWith: nil)
    }
    #expect(names[0] == "https://example.com:443 acme")
    #expect(names[1] == "https://example.com:443 ")
    #expect(names[2] == "https://example.com:443 two%20words")
    #expect(names[6] == "https://example.com:443 line%0D%0A%00break")
    #expect(Set(names.map { Data($0.utf8) }).count == names.count)
    #expect(names.allSatisfy { $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } })
    #expect(names.allSatisfy { $0.utf8.count { $0 == 0x20 } == 1 })
  }

  @Test func `a long key has a short name, which is unique to it`() {
    let long = String(repeating: "x", count: 10_000)
    let names = ["a", "b"].map { OriginAddress(url, key: long + $0).name(sealedWith: nil) }
    #expect(names[0] != names[1])
    #expect(names.allSatisfy { $0.utf8.count < 300 })
    let edge = (198...202).map { OriginAddress(url, key: String(long.prefix($0))).name(sealedWith: nil) }
    #expect(Set(edge).count == 5)
  }

  @Test func `encrypted names reveal nothing, and differ by origin and key`() throws {
    let key = OutboxKey.random()
    let other = try #require(URL(string: "https://other.example"))
    let addresses = [
      OriginAddress(url), OriginAddress(url, key: "a"), OriginAddress(url, key: "b"),
      OriginAddress(other, key: "a"), OriginAddress(other),
    ]
    let names = addresses.map { $0.name(sealedWith: key) }
    #expect(Set(names).count == 5)
    #expect(names.map(OriginAddress.hasKey) == [false, true, true, true, false])
    #expect(names.allSatisfy { !$0.contains("example") })
  }

  @Test(arguments: [nil, "", "a", "two words", "é\r\n"])
  func `the text of an origin and its key can be parsed again`(key: String?) {
    let address = OriginAddress(url, key: key)
    #expect(OriginAddress(text: address.text) == address)
  }
}
