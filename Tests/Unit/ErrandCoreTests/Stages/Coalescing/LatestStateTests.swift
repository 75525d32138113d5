import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct LatestStateTests {
  @Test func `each new call supersedes the previous one`() {
    var state = LatestState<Int>()
    var superseded: [Int?] = []
    for call in 1...4 { superseded.append(state.begin("a", call).superseded) }
    #expect(superseded == [nil, 1, 2, 3])
  }

  @Test func `the end of the newest call clears its key`() {
    var state = LatestState<Int>()
    let first = state.begin("a", 1)
    let isNewest = state.end(first.place)
    #expect(isNewest)
    #expect(state.isEmpty)
    let second = state.begin("a", 2)
    #expect(second.superseded == nil)
  }

  @Test func `the end of a superseded call has no effect`() {
    var state = LatestState<Int>()
    let first = state.begin("a", 1)
    let second = state.begin("a", 2)
    let isNewest = state.end(first.place)
    #expect(!isNewest)
    let third = state.begin("a", 3)
    #expect(third.superseded == 2)
    let isSecondNewest = state.end(second.place)
    #expect(!isSecondNewest)
    let isThirdNewest = state.end(third.place)
    #expect(isThirdNewest)
    let again = state.end(third.place)
    #expect(!again)
  }

  @Test func `keys are independent`() {
    var state = LatestState<Int>()
    _ = state.begin("a", 1)
    let other = state.begin("b", 2)
    #expect(other.superseded == nil)
  }

  @Test(arguments: 1...10)
  func `every call is either superseded once or ends as the newest, and leaves nothing behind`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var state = LatestState<Int>()
    var running: [(call: Int, key: Int, place: LatestState<Int>.Place)] = []
    var newest: [Int: Int] = [:]
    var superseded: Set<Int> = []
    for call in 0..<5000 {
      if running.isEmpty || Bool.random(using: &random) {
        let key = Int.random(in: 0..<5, using: &random)
        let begun = state.begin(RequestKey(key), call)
        #expect(begun.superseded == newest[key])
        if let old = begun.superseded { #expect(superseded.insert(old).inserted) }
        newest[key] = call
        running.append((call, key, begun.place))
      } else {
        let ended = running.remove(at: Int.random(in: running.indices, using: &random))
        let isNewest = state.end(ended.place)
        #expect(isNewest == !superseded.contains(ended.call))
        #expect(isNewest == (newest[ended.key] == ended.call))
        if isNewest { newest[ended.key] = nil }
      }
    }
    for ended in running { _ = state.end(ended.place) }
    #expect(state.isEmpty)
  }
}
