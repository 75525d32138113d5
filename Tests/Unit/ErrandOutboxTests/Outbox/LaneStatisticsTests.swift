import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct LaneStatisticsTests {
  private let harness: OutboxHarness

  init() throws { harness = try OutboxHarness() }

  @Test func `each lane's requests are counted by state, the oldest lane first`() async throws {
    harness.server.on("/bad") { _ in .response(status: 400) }
    harness.server.on("/good") { _ in .response() }
    let outbox = try await harness.outbox { $0.lanePolicy = { $0 == "b" ? .block : nil } }
    #expect(try await outbox.laneStatistics().isEmpty)
    let bad = try await outbox.enqueue(.post(harness.server.url("/bad"), .text("x")), lane: "b")
    _ = try await bad.outcome()
    try await outbox.pause()
    let gone = try await outbox.enqueue(.post(harness.server.url("/good"), .text("x")), lane: "gone")
    try await outbox.drop(OutboxSelection(ids: [gone.id]))
    for lane in ["a", "b", "a", nil, "a"] {
      try await outbox.enqueue(.post(harness.server.url("/good"), .text("x")), lane: lane)
    }
    let lanes = try await outbox.laneStatistics()
    #expect(lanes.map(\.lane) == ["b", "a", nil])
    #expect(
      lanes.map(\.counts) == [[.deadLettered: 1, .stored: 1], [.stored: 3], [.stored: 1]])
    #expect(try await outbox.status(of: bad.id)?.created == lanes[0].oldest)
    await outbox.close()
  }

  @Test func `lanes whose names differ only in their bytes are two lanes`() async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    let names = ["Ren\u{E9}", "Rene\u{301}"]
    for name in names { try await outbox.enqueue(.post(harness.server.url("/"), .text("x")), lane: name) }
    #expect(
      try await outbox.laneStatistics().map { Array($0.lane?.utf8 ?? "".utf8) }
        == names.map { Array($0.utf8) })
    for name in names {
      let selection = OutboxSelection(lane: .named(name))
      let entries = try await outbox.list(selection)
      #expect(entries.map { Array($0.lane?.utf8 ?? "".utf8) } == [Array(name.utf8)])
    }
    #expect(Set(names.map(OutboxSelection.Lane.named)).count == 2)
    await outbox.close()
  }

  @Test func `lanes are counted past a page of rows`() async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    let url = harness.server.url("/")
    try await outbox.enqueue((0..<2500).map { OutboxItem(.post(url, .text("x")), lane: "lane \($0 % 3)") })
    let lanes = try await outbox.laneStatistics()
    #expect(lanes.map(\.lane) == ["lane 0", "lane 1", "lane 2"])
    #expect(lanes.map { $0.counts[.stored] } == [834, 833, 833])
    await outbox.close()
  }
}
