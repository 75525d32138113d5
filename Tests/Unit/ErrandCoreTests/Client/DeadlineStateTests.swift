import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct DeadlineStateTests {
  @Test func `the timer is set only for the earliest deadline`() {
    var state = DeadlineState<String>()
    #expect(state.add("b", due: .seconds(5)).timer == .seconds(5))
    #expect(state.add("c", due: .seconds(9)).timer == nil)
    #expect(state.add("a", due: .seconds(2)).timer == .seconds(2))
    let (first, next) = state.expire(at: .seconds(2))
    #expect(first == ["a"] && next == .seconds(5))
    let (others, end) = state.expire(at: .seconds(10))
    #expect(others == ["b", "c"] && end == nil)
    #expect(state.add("d", due: .seconds(20)).timer == .seconds(20))
  }

  @Test func `a removed deadline is not returned, and sets no timer`() {
    var state = DeadlineState<String>()
    let (token, _) = state.add("a", due: .seconds(1))
    state.remove(token)
    state.remove(token)
    #expect(state.expire(at: .zero).timer == nil)
    #expect(state.entries == 0)
  }

  @Test func `a million deadlines that are removed in time leave nothing behind`() {
    var state = DeadlineState<Int>()
    var kept: [DeadlineState<Int>.Token] = []
    for number in 0..<1_000_000 {
      let (token, _) = state.add(number, due: .seconds(60) + .microseconds(number))
      kept.append(token)
      if kept.count > 64 { state.remove(kept.removeFirst()) }
      guard state.entries <= 2 * state.count + 66 else { return #expect(Bool(false), "\(state.entries)") }
    }
    #expect(state.count == 64)
  }

  /// The same rules on a plain array, which is searched each time.
  private struct Model {
    var elements: [(number: Int, due: Int)] = []

    mutating func expire(at now: Int) -> [Int] {
      let due = elements.filter { $0.due <= now }.sorted { ($0.due, $0.number) < ($1.due, $1.number) }
      elements.removeAll { $0.due <= now }
      return due.map(\.number)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `each deadline is returned once when it is due, unless it was removed`(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    var state = DeadlineState<Int>()
    var model = Model()
    var tokens: [Int: DeadlineState<Int>.Token] = [:]
    var (now, timer) = (0, Int.max)
    for number in 0..<3000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let due = now + Int.random(in: -2...50, using: &random)
        let (token, earlier) = state.add(number, due: .seconds(due))
        (tokens[number], timer) = (token, earlier.map { min(timer, Int($0.components.seconds)) } ?? timer)
        model.elements.append((number, due))
      case 5..<8:
        guard let gone = model.elements.randomElement(using: &random), let token = tokens[gone.number] else {
          continue
        }
        state.remove(token)
        model.elements.removeAll { $0.number == gone.number }
      default:
        now += Int.random(in: 0...9, using: &random)
        // If a timer was not set, the model would find a due deadline here.
        guard now >= timer else {
          #expect(model.expire(at: now).isEmpty)
          continue
        }
        let (due, next) = state.expire(at: .seconds(now))
        #expect(Set(due) == Set(model.expire(at: now)))
        timer = next.map { Int($0.components.seconds) } ?? .max
      }
      #expect(state.count == model.elements.count)
    }
  }
}
