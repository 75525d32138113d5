import Testing

@testable import ErrandURLProtocol

@Suite struct ProtocolLoadStateTests {
  private var state = ProtocolLoadState()

  @Test mutating func `a load has one outcome`() {
    let steps = [state.start(), state.start(), state.finish(), state.finish(), state.stop()]
    #expect(steps == [true, false, true, false, false])
  }

  @Test mutating func `a stopped load is cancelled once, and reports nothing`() {
    let steps = [state.start(), state.stop(), state.stop(), state.finish()]
    #expect(steps == [true, true, false, false])
  }

  @Test mutating func `a load that is stopped before it began does not begin`() {
    let steps = [state.stop(), state.start(), state.finish()]
    #expect(steps == [false, false, false])
  }
}

@Suite struct AdditionsTableTests {
  @Test func `the table keeps exactly the additions of the newest requests`() {
    var table = AdditionsTable(limit: 3)
    let numbers = (0..<5).map { _ in table.add(RequestAdditions(changes: [], outbox: nil)) }
    #expect(numbers.map { table[$0] != nil } == [false, false, true, true, true])
  }
}
