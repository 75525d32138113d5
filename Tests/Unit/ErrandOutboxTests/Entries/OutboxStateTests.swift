import ErrandOutbox
import Testing

struct OutboxStateTests {
  @Test func `only stored and attempting requests are open`() {
    #expect(OutboxState.allCases.filter(\.isOpen) == [.stored, .attempting])
  }
}
