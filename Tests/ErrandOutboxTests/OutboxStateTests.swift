import ErrandOutbox
import Testing

struct OutboxStateTests {
  @Test func `what is over by itself is not open, what waits is`() {
    #expect(OutboxState.allCases.filter(\.isOpen) == [.stored, .trying])
  }
}
