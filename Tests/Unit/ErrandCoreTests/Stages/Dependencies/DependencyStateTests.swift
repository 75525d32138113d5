import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct DependencyStateTests {
  @Test func `a call starts once, when the last of its dependencies has succeeded`() {
    var state = DependencyState(count: 3)
    #expect(state.ended(1, succeeded: true) == nil)
    #expect(state.ended(0, succeeded: true) == nil)
    #expect(state.ended(2, succeeded: true) == .go)
    #expect(state.ended(2, succeeded: true) == nil)
  }

  @Test func `the first failure decides, regardless of later results`() {
    var state = DependencyState(count: 3)
    #expect(state.ended(0, succeeded: true) == nil)
    #expect(state.ended(2, succeeded: false) == .failed(2))
    #expect(state.ended(1, succeeded: false) == nil)
  }

  @Test(arguments: 1...100)
  func `dependencies that end in any order give one correct decision`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let count = Int.random(in: 1...8, using: &random)
    let succeeds = (0..<count).map { _ in Int.random(in: 0..<6, using: &random) > 0 }
    var state = DependencyState(count: count)
    let verdicts = (0..<count).shuffled(using: &random).compactMap {
      state.ended($0, succeeded: succeeds[$0])
    }
    #expect(verdicts.count == 1)
    switch verdicts.first {
    case .failed(let index): #expect(!succeeds[index])
    default: #expect(!succeeds.contains(false))
    }
  }
}
