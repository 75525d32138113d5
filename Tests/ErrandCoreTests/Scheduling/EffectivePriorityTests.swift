import Testing

@testable import ErrandCore

@Suite struct EffectivePriorityTests {
  @Test func `the effective priority only rises, and its handlers hear of each rise`() {
    let effectivePriority = EffectivePriority(.utility)
    let heard = Locked<[Priority]>([])
    let id = effectivePriority.onRaise { priority in heard.withLock { $0.append(priority) } }
    effectivePriority.raise(to: .background)
    effectivePriority.raise(to: .utility)
    #expect(effectivePriority.current == .utility)
    effectivePriority.raise(to: .default)
    effectivePriority.raise(to: .userInitiated)
    effectivePriority.raise(to: .default)
    #expect(effectivePriority.current == .userInitiated)
    #expect(heard.withLock { $0 } == [.default, .userInitiated])
    effectivePriority.removeRaiseHandler(id)
  }

  @Test func `a handler that was removed hears nothing`() {
    let effectivePriority = EffectivePriority(.background)
    let heard = Locked(0)
    let ids = (0..<3).map { _ in effectivePriority.onRaise { _ in heard.withLock { $0 += 1 } } }
    effectivePriority.removeRaiseHandler(ids[1])
    effectivePriority.raise(to: .default)
    #expect(heard.withLock { $0 } == 2)
  }

  @Test func `the effective priority ends at the highest when many tasks raise it`() async {
    for _ in 0..<100 {
      let effectivePriority = EffectivePriority(.background)
      await withTaskGroup { group in
        for priority in Priority.allCases { group.addTask { effectivePriority.raise(to: priority) } }
      }
      #expect(effectivePriority.current == .userInitiated)
    }
  }
}
