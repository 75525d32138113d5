import Testing

@testable import ErrandCore

@Suite struct BoxedTests {
  private struct Refused: Error {}

  @Test func `a copy keeps its value when the original is changed`() {
    var one = Boxed([1, 2])
    let other = one
    #expect(one == other)
    one.value.append(3)
    #expect(one.value == [1, 2, 3])
    #expect(other.value == [1, 2])
    #expect(one != other)
  }

  @Test func `a change that was made before an error is kept`() {
    func change(_ values: inout [Int]) throws {
      values.append(2)
      throw Refused()
    }
    var boxed = Boxed([1])
    #expect(throws: Refused.self) { try change(&boxed.value) }
    #expect(boxed.value == [1, 2])
  }

  @Test func `changing a copied request does not change the original`() {
    let plain = Request.get("http://h/")
    let changed = plain.field("A", "1").priority(.background).timeout(.seconds(1))
    #expect(plain.fields.isEmpty)
    #expect(plain.options == RequestOptions())
    #expect(changed.fields["A"] == "1")
    #expect(changed.options.priority == .background)
    #expect(changed.options.timeout == .seconds(1))
    #expect(Set([plain, changed, Request.get("http://h/")]).count == 2)
  }
}
