import Foundation
import Testing

@testable import ErrandCore

@Suite struct CachePartitionTests {
  private let salt = Data("some salt".utf8)
  private let url = URL(string: "https://example.com/?page=2")

  private func partition(
    _ fields: HTTPFields, url: String = "https://example.com/", user: String? = nil, salt: String = "salt"
  ) -> CachePartition {
    CachePartition(of: fields, url: URL(string: url), user: user, salt: Data(salt.utf8))
  }

  @Test func `a request without credentials has no partition`() {
    #expect(partition(["User-Agent": "x"], url: "https://example.com/?page=2#a=b") == .none)
  }

  @Test func `every credential makes a different partition, in whichever place it is`() {
    let all = [
      partition(["Authorization": "a"]), partition(["Cookie": "a"]), partition(["Authorization": "b"]),
      partition([:], url: "https://a@example.com/"), partition([:], url: "https://a:b@example.com/"),
      partition([:], url: "https://b:a@example.com/"), partition([:], url: "https://example.com/?token=a"),
      partition([:], url: "https://example.com/?x=1&TOKEN=b"),
      partition([:], url: "https://example.com/?key=a"),
      partition([:], url: "https://example.com/?to%6ben=c"),
      partition([:], user: "a"), partition([:], user: "b"), partition(["Authorization": "a"], user: "a"),
    ]
    #expect(Set(all).count == all.count)
    #expect(!all.contains(.none))
  }

  @Test func `header fields that are marked as secret, or have a secret name, make a partition`() {
    var marked = HTTPFields()
    marked.append("X-Api-Key", "a", isSecret: true)
    #expect(partition(marked) != .none)
    let secrets = Secrets(fields: ["x-api-key"])
    #expect(CachePartition(of: ["X-Api-Key": "a"], secrets: secrets, salt: salt) != .none)
  }

  @Test func `the partition ignores the case and order of names, but not the order of one name's values`() {
    #expect(
      partition(["authorization": "a", "Cookie": "b"]) == partition(["cookie": "b", "Authorization": "a"]))
    #expect(partition(["Cookie": "a", "cookie": "b"]) != partition(["Cookie": "b", "cookie": "a"]))
  }

  @Test func `different lists of credentials never have the same partition`() {
    #expect(partition(["Cookie": "ab", "cookie": "c"]) != partition(["Cookie": "a", "cookie": "bc"]))
    #expect(partition(["Cookie": "a"], salt: "salt1") != partition(["Cookie": "1a"], salt: "salt"))
    let salt = Data("salt".utf8)
    #expect(CachePartition(["ab", "c"], salt: salt) != CachePartition(["a", "bc"], salt: salt))
    #expect(CachePartition(["ab"], salt: salt) != CachePartition(["a", "b"], salt: salt))
    #expect(CachePartition(["1a"], salt: salt) != CachePartition(["a"], salt: salt + Data("1".utf8)))
  }

  @Test func `the partition ignores the path, other query items and irrelevant fields, and no other field`() {
    let one = partition(["Cookie": "a", "User-Agent": "x"], url: "https://example.com/?page=1")
    #expect(one == partition(["Cookie": "a", "traceparent": "1"], url: "https://example.com/other?page=2"))
    #expect(one != partition(["Cookie": "a", "Accept": "x"], url: "https://example.com/?page=1"))
  }

  @Test func `a different salt makes a different partition`() {
    #expect(partition(["Cookie": "a"], salt: "1") != partition(["Cookie": "a"], salt: "2"))
  }

  @Test func `a partition is parsed from its own text only`() {
    let known = partition(["Cookie": "a"])
    #expect(CachePartition(known.description) == known)
    #expect(CachePartition("") == CachePartition.none)
    #expect(known.description.count == 64)
    for text in ["a", String(repeating: "A", count: 64), String(repeating: "a", count: 65), "é"] {
      #expect(CachePartition(text) == nil)
    }
  }
}
