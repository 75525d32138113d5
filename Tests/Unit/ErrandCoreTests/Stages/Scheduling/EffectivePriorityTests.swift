import Testing

@testable import ErrandCore

@Suite struct EffectivePriorityTests {
  @Test func `raising changes only a lower priority, and the handlers are notified of each change`() {
    let effectivePriority = EffectivePriority(.utility)
    let heard = Locked<[Priority]>([])
    let id = effectivePriority.onChange { priority in heard.withLock { $0.append(priority) } }
    effectivePriority.raise(to: .background)
    effectivePriority.raise(to: .utility)
    #expect(effectivePriority.current == .utility)
    effectivePriority.raise(to: .default)
    effectivePriority.raise(to: .userInitiated)
    effectivePriority.raise(to: .default)
    #expect(effectivePriority.current == .userInitiated)
    #expect(heard.withLock { $0 } == [.default, .userInitiated])
    effectivePriority.removeChangeHandler(id)
  }

  @Test func `a call that is lowered can be raised again`() {
    let effectivePriority = EffectivePriority(.userInitiated)
    effectivePriority.lower(to: .background)
    effectivePriority.lower(to: .utility)
    #expect(effectivePriority.current == .background)
    effectivePriority.raise(to: .default)
    #expect(effectivePriority.current == .default)
  }

  @Test func `a priority that was computed earlier does not replace a later one`() {
    let effectivePriority = EffectivePriority(.default)
    effectivePriority.set(to: .userInitiated, number: 2)
    effectivePriority.set(to: .background, number: 1)
    #expect(effectivePriority.current == .userInitiated)
    effectivePriority.set(to: .utility, number: 3)
    #expect(effectivePriority.current == .utility)
  }

  @Test func `a limit overrides the call's own priority until it is lifted`() {
    let effectivePriority = EffectivePriority(.default)
    let heard = Locked<[Priority]>([])
    _ = effectivePriority.onChange { priority in heard.withLock { $0.append(priority) } }
    effectivePriority.limit(to: .background)
    effectivePriority.raise(to: .userInitiated)
    #expect(effectivePriority.current == .background)
    effectivePriority.limit(to: nil)
    #expect(heard.withLock { $0 } == [.background, .userInitiated])
  }

  @Test func `a removed handler is not called`() {
    let effectivePriority = EffectivePriority(.background)
    let heard = Locked(0)
    let ids = (0..<3).map { _ in effectivePriority.onChange { _ in heard.withLock { $0 += 1 } } }
    effectivePriority.removeChangeHandler(ids[1])
    effectivePriority.raise(to: .default)
    #expect(heard.withLock { $0 } == 2)
  }

  @Test func `the effective priority is finally the highest when many tasks raise it`() async {
    for _ in 0..<100 {
      let effectivePriority = EffectivePriority(.background)
      await withTaskGroup { group in
        for priority in Priority.allCases { group.addTask { effectivePriority.raise(to: priority) } }
      }
      #expect(effectivePriority.current == .userInitiated)
    }
  }
}
