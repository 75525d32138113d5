import ErrandCore
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite struct BootNameTests {
  @Test func `the boot name is read until it is available, and then no more`() {
    let names = Locked(["", "", "first", "second"])
    let boot = BootName { names.withLock { $0.removeFirst() } }
    #expect((0..<5).map { _ in boot.name } == ["", "", "first", "first", "first"])
    #expect(names.withLock { $0 } == ["second"])
  }
}
