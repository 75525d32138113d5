import TestSupport
import Testing

@testable import ErrandSigning
@testable import ErrandStructuredFields

@Suite(.computesLong) struct StructuredRoundTripTests {
  @Test func `a random list is parsed as it was serialized`() throws {
    var random = RandomFields(seed: 1)
    for _ in 0..<400 {
      let list = random.list()
      try comesBack(list)
      guard try StructuredList(parsing: list.members.map { try $0.serialized() }) != list else { continue }
      Issue.record("in lines, this is parsed as another list: \(list)")
    }
  }

  @Test func `a random dictionary is parsed as it was serialized`() throws {
    var random = RandomFields(seed: 2)
    for _ in 0..<400 { try comesBack(random.dictionary()) }
  }

  @Test func `a random item is parsed as it was serialized`() throws {
    var random = RandomFields(seed: 3)
    for _ in 0..<2000 { try comesBack(random.item()) }
  }

  @Test func `random text is refused, or is a value that is serialized and parsed unchanged`() throws {
    var random = RandomFields(seed: 4)
    var accepted = 0
    for _ in 0..<20_000 {
      let text = random.junk()
      if let list = try? StructuredList(parsing: text) {
        accepted += 1
        try comesBack(list)
      }
      if let dictionary = try? StructuredDictionary(parsing: text) { try comesBack(dictionary) }
      if let item = try? StructuredItem(parsing: text) { try comesBack(item) }
    }
    #expect(accepted > 100)
  }

  @Test func `a value with a changed byte is refused, or is serialized and parsed unchanged`() throws {
    var random = RandomFields(seed: 5)
    for _ in 0..<200 {
      let bytes = Array(try random.dictionary().serialized()?.utf8.prefix(100) ?? "a".utf8.prefix(1))
      for _ in 0..<100 {
        var changed = bytes
        changed[random.number(0...bytes.count - 1)] = UInt8(random.number(0...255))
        let text = String(decoding: changed, as: UTF8.self)
        if let dictionary = try? StructuredDictionary(parsing: text) { try comesBack(dictionary) }
      }
    }
  }

  // Not with #expect, which takes longer than parsing.

  private func comesBack(_ list: StructuredList) throws {
    guard try StructuredList(parsing: list.serialized() ?? "") != list else { return }
    Issue.record("this is parsed as another list: \(list)")
  }

  private func comesBack(_ dictionary: StructuredDictionary) throws {
    guard try StructuredDictionary(parsing: dictionary.serialized() ?? "") != dictionary else { return }
    Issue.record("this is parsed as another dictionary: \(dictionary)")
  }

  private func comesBack(_ item: StructuredItem) throws {
    guard try StructuredItem(parsing: item.serialized()) != item else { return }
    Issue.record("this is parsed as another item: \(item)")
  }
}
