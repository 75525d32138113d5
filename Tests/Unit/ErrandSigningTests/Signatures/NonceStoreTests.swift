import Foundation
import Testing

@testable import ErrandSigning

/// Nonces that are not accepted twice.
@Suite struct NonceStoreTests {
  private static let now = RFCMessages.date

  private func take(
    _ store: MemoryNonceStore, _ nonce: String, _ keyID: String? = nil, for seconds: Double = 10,
    at: Double = 0
  ) throws -> Bool {
    try store.take(
      nonce, keyID: keyID, until: Self.now.addingTimeInterval(at + seconds),
      now: Self.now.addingTimeInterval(at))
  }

  @Test func `a nonce is accepted once for each key`() throws {
    let store = MemoryNonceStore()
    for (nonce, keyID) in [
      ("a", nil), ("a", ""), ("a", "k"), ("b", "k"), ("", "k"), ("k a", nil), ("", "k a"), ("1 k a", nil),
    ]
      as [(String, String?)]
    {
      #expect(try take(store, nonce, keyID))
      #expect(try !take(store, nonce, keyID))
    }
  }

  @Test func `a nonce is remembered until its signature has expired`() throws {
    let store = MemoryNonceStore()
    #expect(try take(store, "a"))
    #expect(try !take(store, "a", at: 9.9))
    #expect(try take(store, "a", at: 10))
    #expect(try !take(store, "a", at: 19))
  }

  @Test func `a full store forgets expired nonces, and otherwise refuses`() async throws {
    let store = MemoryNonceStore(capacity: 3)
    for (index, nonce) in ["a", "b", "c"].enumerated() {
      #expect(try take(store, nonce, for: Double(index + 1)))
    }
    #expect(await codeOfRefusal { _ = try self.take(store, "d") } == .nonceStoreFull)
    #expect(try !take(store, "c"))
    #expect(try take(store, "d", at: 2))
    #expect(store.count == 2)
    #expect(try !take(store, "c", at: 2))
    #expect(try take(store, "e", at: 2))
    #expect(await codeOfRefusal { _ = try self.take(store, "f", at: 2) } == .nonceStoreFull)
    #expect(try take(store, "f", at: 3))
  }

  @Test func `a store never has more than its capacity`() throws {
    let store = MemoryNonceStore(capacity: 100)
    var random = Seeded(3)
    var taken = 0
    for step in 0..<5000 {
      let isTaken = try? take(
        store, "\(random.number(0...2000))", for: Double(random.number(1...40)), at: Double(step) / 4)
      if isTaken == true { taken += 1 }
      #expect(store.count <= 100)
    }
    #expect(taken > 1000)
  }

  @Test func `one of many concurrent uses of a nonce is accepted`() async throws {
    let store = MemoryNonceStore()
    let winners = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 {
        group.addTask {
          (try? store.take("a", keyID: nil, until: Self.now.addingTimeInterval(9), now: Self.now)) == true
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
  }
}
