import Testing

@_spi(Benchmarks) @testable import ErrandSigning
@testable import ErrandStructuredFields

@Suite struct StructuredMapTests {
  @Test func `entries are found by key and by index, in small and large maps`() {
    for count in [0, 1, 8, 9, 100] {
      var parameters = StructuredParameters()
      for number in 0..<count { parameters["k\(number)"] = .integer(Int64(number)) }
      #expect(parameters.count == count)
      for number in 0..<count {
        #expect(parameters["k\(number)"]?.integer == Int64(number))
        #expect(parameters[number].key == "k\(number)")
        #expect(parameters[number].value.integer == Int64(number))
        #expect(parameters.index(of: "k\(number)") == number)
      }
      #expect(parameters["other"] == nil)
      #expect(parameters.index(of: "other") == nil)
      #expect(parameters.keys == (0..<count).map { "k\($0)" })
    }
  }

  @Test func `random changes have the same result as in a plain array`() {
    var random = RandomFields(seed: 5)
    for _ in 0..<200 {
      var map = StructuredParameters()
      var plain: [(key: String, value: BareItem)] = []
      for _ in 0..<random.number(0...60) {
        let key = "k\(random.number(0...20))"
        let index = plain.firstIndex { $0.key == key }
        if random.number(0...2) == 0 {
          map[key] = nil
          if let index { plain.remove(at: index) }
        } else {
          let value = BareItem.integer(Int64(random.number(0...99)))
          map[key] = value
          if let index { plain[index].value = value } else { plain.append((key, value)) }
        }
        #expect(map[key] == plain.first { $0.key == key }?.value)
      }
      #expect(map.map(\.key) == plain.map(\.key))
      #expect(map.map(\.value) == plain.map(\.value))
      for entry in plain { #expect(map[entry.key] == entry.value) }
    }
  }

  @Test func `two maps are equal if their entries are, in the same order`() {
    let (left, right): (StructuredParameters, StructuredParameters) = (["a": 1, "b": 2], ["b": 2, "a": 1])
    #expect(left != right)
    var other = right
    other["b"] = nil
    other["b"] = 2
    #expect(other != right)
    #expect(other == left)
    #expect(Set([left, right, other]).count == 2)
  }

  @Test func `a copy does not change with the original`() {
    var parameters: StructuredParameters = [:]
    for number in 0..<20 { parameters["k\(number)"] = 1 }
    let copy = parameters
    parameters["k3"] = 2
    parameters["k4"] = nil
    parameters["new"] = 3
    #expect(copy.count == 20)
    #expect(copy["k3"] == 1)
    #expect(copy["k4"] == 1)
    #expect(copy["new"] == nil)
  }

  @Test func `the parameters of a member are those of its item or inner list`() throws {
    var dictionary: StructuredDictionary = ["a": 1, "b": [2, 3]]
    dictionary["a"]?.parameters["x"] = true
    dictionary["b"]?.parameters["y"] = .token("z")
    #expect(try dictionary.serialized() == "a=1;x, b=(2 3);y=z")
    #expect(try dictionary["b"]?.serialized() == "(2 3);y=z")
    #expect(dictionary["b"]?.bareItem == nil)
    #expect(dictionary["b"]?.integer == nil)
    #expect(dictionary["a"]?.innerList == nil)
  }

  @Test func `the members of a list and the items of an inner list can be changed`() throws {
    var list: StructuredList = [1, 2]
    list.members.append(.token("x"))
    list.members.insert(["inner"], at: 0)
    list.members[1] = 9.5
    list.members.removeAll { $0.integer == 2 }
    #expect(try list.serialized() == #"("inner"), 9.5, x"#)
    var inner: StructuredInnerList = ["a", 2]
    inner.items[0] = false
    #expect(try inner.serialized() == "(?0 2)")
  }
}
