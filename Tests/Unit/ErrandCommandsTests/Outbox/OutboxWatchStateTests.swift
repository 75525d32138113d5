import ErrandOutbox
import Foundation
import Testing

@testable import ErrandCommands

@Suite struct OutboxWatchStateTests {
  @Test func `each change is reported once, in the order in which it happened`() {
    var state = OutboxWatchState([.sample("a", 1)], last: 1)
    #expect(state.look(at: [.sample("a", 1)]).isEmpty)
    let tried = OutboxRecord.sample("a", 1, .attempting) { $0.changed = Date(timeIntervalSince1970: 9) }
    let new = OutboxRecord.sample("b", 2) { $0.changed = Date(timeIntervalSince1970: 5) }
    #expect(state.look(at: [tried, new]) == [new, tried])
    #expect(state.look(at: [tried, new]).isEmpty)
    #expect(state.last == 2)
  }

  @Test func `an ended request is no longer open, and is open again when it is retried`() {
    var state = OutboxWatchState([.sample("a", 1)], last: 1)
    #expect(state.look(at: [.sample("a", 1, .expired)]).count == 1)
    #expect(state.open.isEmpty && state.ended.map(\.id) == ["a"])
    #expect(state.look(at: [.sample("a", 1)]).count == 1)
    #expect(state.open.keys.map(\.rawValue) == ["a"])
    _ = state.look(at: [], forgotten: [OutboxID(rawValue: "a")])
    #expect(state.open.isEmpty)
  }

  @Test func `requests whose IDs differ only in their bytes are two requests`() {
    var state = OutboxWatchState([], last: 0)
    #expect(state.look(at: [.sample("\u{E9}", 1), .sample("e\u{301}", 2)]).count == 2)
    #expect(state.open.count == 2)
  }

  @Test
  func `the rows that fit are shown: first those attempting, then those waiting, then those that just ended`()
  {
    var state = OutboxWatchState(
      (1...9).map { .sample("s\($0)", $0) } + [.sample("t", 10, .attempting)], last: 10)
    _ = state.look(at: [.sample("d", 11, .delivered)])
    #expect(state.shown(4).map(\.id) == ["t", "s1", "s2", "d"])
    #expect(state.shown(100).count == 11)
    #expect(state.shown(1).map(\.id) == ["t"])
  }
}
