import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct OutboxKeyTests {
  @Test func `keys of the same bytes are equal, and random keys differ`() throws {
    let key = OutboxKey.random()
    #expect(key.data.count == 32)
    #expect(try OutboxKey(key.data) == key)
    #expect(OutboxKey.random() != key)
    // The indices of a slice do not begin at zero.
    #expect(try OutboxKey((Data([1]) + key.data).dropFirst()) == key)
  }

  @Test(arguments: [0, 16, 31, 33])
  func `a key that is not 32 bytes long is refused, and the error names its length`(count: Int) {
    let error = #expect(throws: OutboxError.self) { _ = try OutboxKey(Data(count: count)) }
    #expect(error?.code == .wrongKey)
    #expect(error?.message.contains("not \(count)") == true)
  }

  @Test func `no description shows a key`() throws {
    let key = try OutboxKey(Data("0123456789abcdef0123456789ABCDEF".utf8))
    var dumped = ""
    dump(key, to: &dumped)
    let all =
      "\(key) \(String(reflecting: key)) \(Mirror(reflecting: key).children) \(dumped) \(Optional(key) as Any)"
    for shown in ["0123", "ABCDEF", "MDEyMzQ", "48, 49, 50", "30313233"] {
      #expect(!all.contains(shown), "\(all)")
    }
  }
}
