import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct AnswerCacheStateTests {
  private func answer(_ size: Int) -> KeptAnswer {
    KeptAnswer(
      status: 200, fields: ["a": "b"], data: Data(count: size), url: URL(filePath: "/"), date: Date())
  }

  @Test(arguments: 1...8)
  func `it is as a list that is searched from end to end would be`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = Int.random(in: 0...2000, using: &random)
    var state = AnswerCacheState(limit: limit)
    // From the least to the most recently used.
    var model: [(key: AnswerKey, answer: KeptAnswer)] = []
    for _ in 0..<500 {
      let key = AnswerKey("\(Int.random(in: 0..<20, using: &random))")
      let place = model.firstIndex { $0.key == key }
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        let removed = state.remove(key)
        #expect(removed == place.map { model.remove(at: $0).answer })
      case 1...4:
        let found = state.read(key)
        #expect(found == place.map { model[$0].answer })
        if let place { model.append(model.remove(at: place)) }
      default:
        let new = answer(Int.random(in: 0...400, using: &random))
        var gone = place.map { [model.remove(at: $0).answer] } ?? []
        if new.size(under: key) <= limit {
          model.append((key, new))
          while model.reduce(0, { $0 + $1.answer.size(under: $1.key) }) > limit {
            gone.append(model.removeFirst().answer)
          }
        }
        let freed = state.write(new, under: key)
        #expect(freed == gone)
      }
      #expect(state.size == model.reduce(0) { $0 + $1.answer.size(under: $1.key) })
      #expect(state.size <= max(limit, 0))
      #expect(state.entries.map(\.key) == model.reversed().map(\.key))
    }
  }

  @Test func `fields, URL and key take room as well`() {
    let key = AnswerKey("name", partition: AnswerPartition(of: ["Cookie": "a"], salt: Data()))
    let answer = KeptAnswer(
      status: 200, fields: ["ab": "cde"], data: Data(count: 10), url: URL(filePath: "/"), date: Date())
    #expect(answer.size(under: key) == 10 + 5 + answer.url.absoluteString.utf8.count + 4 + 64)
  }
}
