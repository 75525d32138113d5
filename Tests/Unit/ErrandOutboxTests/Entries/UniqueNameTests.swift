import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct UniqueNameTests {
  private struct Constant: RandomNumberGenerator {
    let value: UInt64
    func next() -> UInt64 { value }
  }

  @Test func `names are UUIDs as RFC 9562 defines them`() {
    var (none, all) = (Constant(value: 0), Constant(value: .max))
    #expect(UniqueName.random(using: &none) == "00000000-0000-4000-8000-000000000000")
    #expect(UniqueName.random(using: &all) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    // The time of the example in RFC 9562, appendix A.6.
    let time: Int64 = 0x017F_22E2_79B0
    #expect(UniqueName.ordered(at: time, using: &none) == "017f22e2-79b0-7000-8000-000000000000")
    #expect(UniqueName.ordered(at: time, using: &all) == "017f22e2-79b0-7fff-bfff-ffffffffffff")
  }

  @Test func `two Unicode spellings of the same letter are two IDs`() {
    let (one, two) = (OutboxID(rawValue: "z\u{E9}"), OutboxID(rawValue: "ze\u{301}"))
    #expect(one.rawValue == two.rawValue)
    #expect(one != two && Set([one, two]).count == 2)
    #expect(one == OutboxID(rawValue: "z\u{E9}"))
  }

  @Test func `names are unique and increase with time`() throws {
    var system = SystemRandomNumberGenerator()
    let names = (0..<1000).map { UniqueName.ordered(at: 1_700_000_000_000 + $0, using: &system) }
    #expect(names == names.sorted())
    let others = (0..<1000).map { _ in UniqueName.random(using: &system) }
    #expect(Set(names + others).count == 2000)
    for name in names + others { #expect(UUID(uuidString: name) != nil) }
  }
}
