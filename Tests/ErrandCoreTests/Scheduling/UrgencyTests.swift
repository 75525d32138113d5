import Testing

@testable import ErrandCore

@Suite struct UrgencyTests {
  @Test func `it only rises, and who listens hears of each rise`() {
    let urgency = Urgency(.utility)
    let heard = Locked<[Priority]>([])
    let id = urgency.onRaise { priority in heard.withLock { $0.append(priority) } }
    urgency.raise(to: .background)
    urgency.raise(to: .utility)
    #expect(urgency.current == .utility)
    urgency.raise(to: .default)
    urgency.raise(to: .userInitiated)
    urgency.raise(to: .default)
    #expect(urgency.current == .userInitiated)
    #expect(heard.withLock { $0 } == [.default, .userInitiated])
    urgency.removeRaiseHandler(id)
  }

  @Test func `who listens no more hears nothing`() {
    let urgency = Urgency(.background)
    let heard = Locked(0)
    let ids = (0..<3).map { _ in urgency.onRaise { _ in heard.withLock { $0 += 1 } } }
    urgency.removeRaiseHandler(ids[1])
    urgency.raise(to: .default)
    #expect(heard.withLock { $0 } == 2)
  }

  @Test func `raised from many tasks it ends at the highest`() async {
    for _ in 0..<100 {
      let urgency = Urgency(.background)
      await withTaskGroup { group in
        for priority in Priority.allCases { group.addTask { urgency.raise(to: priority) } }
      }
      #expect(urgency.current == .userInitiated)
    }
  }
}
