import ErrandCore
import Testing

@testable import ErrandOutbox

@Suite struct EnqueueGateTests {
  /// Keeps the state behind a reference, so that expectations can change it.
  private final class State {
    static let mostRows = EnqueueGateState<String>.mostRows
    private var state = EnqueueGateState<String>()

    func enter(rows: Int) -> Bool { state.enter(rows: rows) }
    func wait(_ waiter: String, rows: Int, _ priority: Priority) {
      state.wait(waiter, rows: rows, priority)
    }
    func leave(rows: Int) -> [String] { state.leave(rows: rows) }
  }

  /// A gate that is filled with as many requests as it admits at once.
  private func full() -> State {
    let state = State()
    for _ in 0..<State.mostRows { #expect(state.enter(rows: 1)) }
    #expect(!state.enter(rows: 1))
    return state
  }

  @Test func `a call enters when the gate has room for its requests`() {
    let state = full()
    #expect(state.leave(rows: 1).isEmpty)
    #expect(!state.enter(rows: 2))
    #expect(state.enter(rows: 1))
  }

  @Test func `a call with more requests than the gate admits is processed alone`() {
    let state = State()
    #expect(state.enter(rows: State.mostRows * 2))
    #expect(!state.enter(rows: 1))
    state.wait("single", rows: 1, .default)
    #expect(state.leave(rows: State.mostRows * 2) == ["single"])
  }

  @Test func `small calls do not overtake a large one forever`() {
    let state = full()
    state.wait("large", rows: State.mostRows * 2, .default)
    state.wait("small", rows: 1, .default)
    #expect(!state.enter(rows: 1))
    for _ in 1..<State.mostRows { #expect(state.leave(rows: 1).isEmpty) }
    #expect(state.leave(rows: 1) == ["large"])
    #expect(state.leave(rows: State.mostRows * 2) == ["small"])
  }

  @Test func `a call with a higher priority enters before earlier ones`() {
    let state = full()
    for number in 0..<100 { state.wait("\(number)", rows: 1, .default) }
    state.wait("urgent", rows: 1, .userInitiated)
    #expect(state.leave(rows: 1) == ["urgent"])
    #expect(state.leave(rows: 1) == ["0"])
    #expect(state.leave(rows: 1) == ["1"])
  }

  @Test func `a call with the lowest priority enters although more important ones keep arriving`() {
    let state = full()
    state.wait("last", rows: 1, .background)
    var entered: [String] = []
    for number in 0..<8 {
      state.wait("\(number)", rows: 1, .userInitiated)
      entered += state.leave(rows: 1)
    }
    #expect(entered == ["0", "1", "2", "last", "3", "4", "5", "6"])
  }

  @Test func `each of many calls enters once, in the order of their priorities`() {
    let state = full()
    for number in 0..<5000 { state.wait("\(number)", rows: 1, .utility) }
    let entered = (0..<5000).flatMap { _ in state.leave(rows: 1) }
    #expect(entered == (0..<5000).map { "\($0)" })
    for _ in 0..<State.mostRows { #expect(state.leave(rows: 1).isEmpty) }
    #expect(state.enter(rows: State.mostRows))
  }
}
