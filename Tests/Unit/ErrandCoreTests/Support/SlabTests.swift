import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.computesLong) struct SlabTests {
  @Test func `the values are returned newest first, whatever places they reuse`() {
    var slab = Slab<Int>()
    let tokens = (0..<6).map { slab.insert($0) }
    for index in [1, 4, 2] { slab.remove(tokens[index]) }
    for value in 6..<8 { _ = slab.insert(value) }
    #expect(slab.newestFirst == [7, 6, 5, 3, 0])
    #expect(Slab<Int>().newestFirst.isEmpty)
  }

  @Test func `a token finds its value until that is removed, and never another value`() {
    var random = SeededRandom(seed: 7)
    var slab = Slab<Int>()
    var known: [(token: Slab<Int>.Token, value: Int)] = []
    var gone: [Slab<Int>.Token] = []
    for step in 0..<20_000 {
      if known.isEmpty || Bool.random(using: &random) {
        known.append((slab.insert(step), step))
      } else {
        let (token, value) = known.remove(at: Int.random(in: known.indices, using: &random))
        #expect(slab.remove(token) == value)
        gone.append(token)
      }
      #expect(slab.count == known.count)
      if let old = gone.randomElement(using: &random) {
        #expect(slab[old] == nil)
        #expect(slab.remove(old) == nil)
      }
    }
    #expect(slab.values.sorted() == known.map(\.value).sorted())
  }

  @Test func `an emptied slab frees its memory and recognizes no old token`() {
    var slab = Slab<Int>()
    let tokens = (0..<5000).map { slab.insert($0) }
    for token in tokens { slab.remove(token) }
    #expect(slab.isEmpty)
    let new = slab.insert(1)
    #expect(tokens.allSatisfy { slab[$0] == nil })
    #expect(slab[new] == 1)
  }

  @Test func `a free place with the number of an old token is free`() {
    var slab = Slab<String>()
    let tokens = ["a", "b", "c"].map { slab.insert($0) }
    // The place of the second value is followed by that of the third, whose index is the second's serial
    // number.
    for token in [tokens[2], tokens[1]] { slab.remove(token) }
    #expect(slab[tokens[1]] == nil)
    slab[tokens[1]] = "x"
    #expect(slab.remove(tokens[1]) == nil)
    #expect(slab.count == 1 && slab.values == ["a"])
    #expect(slab.insert("d") != slab.insert("e"))
    #expect(slab.values.sorted() == ["a", "d", "e"])
  }

  @Test func `a slab returns its only value, and nil if it has none or several`() {
    var slab = Slab<String>()
    #expect(slab.only == nil)
    let first = slab.insert("a")
    #expect(slab.only == "a")
    _ = slab.insert("b")
    #expect(slab.only == nil)
    slab.remove(first)
    #expect(slab.only == "b")
  }
}
