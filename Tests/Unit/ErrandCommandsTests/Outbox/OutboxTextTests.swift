import ErrandCore
import Foundation
import Testing

@testable import ErrandCommands
@testable import ErrandOutbox

@Suite struct OutboxTextTests {
  private let now = Date(timeIntervalSince1970: 100)

  @Test func `a table is aligned, cut to the width, and escapes the server's text`() {
    let waits = OutboxRecord.sample("01a2009e-602a-7aac-8f06-d1003f2a9c1e") {
      $0.lane = "chat"
      $0.attempts = 2
      $0.reason = "said \u{1B}[2J"
      $0.nextAttempt = Date(timeIntervalSince1970: 112)
    }
    let over = OutboxRecord.sample("01a2009e-602a-7aac-8f06-d10077c0aaaa", 2, .delivered)
    let lines = OutboxTable(now: now).lines([waits, over], width: nil)
    #expect(
      lines == [
        "ID        STATE      LANE  ATTEMPTS  AGE  NEXT    REQUEST",
        "3f2a9c1e  stored     chat  2         1m   in 12s  POST http://a/  (said \\x1b[2J)",
        "77c0aaaa  delivered  -     0         1m   -       POST http://a/",
      ])
    #expect(OutboxTable(now: now).lines([waits], width: 30).allSatisfy { $0.count < 30 })
  }

  @Test func `a short ID is just long enough to be unique`() {
    #expect(ShortID.length(of: []) == 8)
    #expect(ShortID.length(of: ["one"]) == 8)
    #expect(ShortID.length(of: ["message-1", "message-2"]) == 9)
    #expect(ShortID.length(of: ["message-1", "message-10"]) == 10)
    #expect(ShortID.length(of: ["01a2009e-602a-7aac-8f06-d1006c0623f9"]) == 8)
    #expect(ShortID.length(of: ["abcdefghijklm", "abcdefghijkln"]) == 8)
    #expect(ShortID.length(of: ["abcdXfghijklm", "abcdYfghijklm"]) == 9)
  }

  @Test(arguments: [(0, "0s"), (59.9, "59s"), (60, "1m"), (3600, "1h"), (172_800, "2d"), (-5, "0s")])
  func `a time span is shown in a short form`(_ seconds: Double, _ text: String) {
    #expect(SpanText.length(seconds) == text)
  }

  @Test func `a time that has passed is shown as now`() {
    #expect(SpanText.until(now, at: now) == "now")
    #expect(SpanText.until(now.addingTimeInterval(0.2), at: now) == "in 1s")
  }

  @Test func `statistics have a line for each state and for pauses`() {
    var statistics = OutboxStatistics()
    let text = StatisticsText(now: now)
    let states = ["stored", "attempting", "delivered", "dead-letter", "expired", "dropped"]
    func padded(_ name: String, _ width: Int) -> String {
      name.padding(toLength: width, withPad: " ", startingAt: 0)
    }
    #expect(text.lines(statistics) == states.map { padded($0, 13) + "0" } + ["bytes        0 B"])
    #expect(text.summary(statistics) == "0 stored")
    statistics.counts = [.stored: 12, .deadLettered: 1]
    (statistics.bytes, statistics.bytesInAll) = (1500, 2_500_000)
    (statistics.oldest, statistics.nextDue) = (40_000, 190_000)
    statistics.pausedLanes = ["chat"]
    #expect(
      text.lines(statistics) == zip(states, [12, 0, 0, 1, 0, 0]).map { padded($0, 14) + "\($1)" } + [
        "bytes         1.5 kB", "in all        2.5 MB", "oldest        1m ago", "next attempt  in 1m",
        "the lane chat is paused",
      ])
    #expect(
      text.summary(statistics)
        == "12 stored, 1 dead-letter, 1.5 kB, next attempt in 1m, the lane chat is paused")
    statistics.isPaused = true
    #expect(text.lines(statistics).last == "everything is paused")
  }

  @Test func `lanes have one line each, and a long list is shortened`() {
    let text = StatisticsText(now: now)
    var lanes = (1...30).map { LaneStatistics(lane: "\($0)", oldest: now.addingTimeInterval(-60)) }
    lanes.insert(LaneStatistics(lane: nil, oldest: now), at: 0)
    lanes[1].counts = [.deadLettered: 1, .stored: 2]
    let lines = text.lines(lanes)
    #expect(lines.count == 21 && lines.first == "lane 1: 2 stored, 1 dead-letter, the oldest 1m ago")
    #expect(lines.last == "and 10 more lanes: --output json shows all")
    #expect(text.lines([lanes[0]]) == [])
  }

  @Test(arguments: [("a/b", "a/b"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''")])
  func `a path is quoted for a shell`(_ path: String, _ quoted: String) {
    #expect(Shell.quoted(path) == quoted)
  }

  @Test func `the default folder is in the state folder`() throws {
    #expect(
      try OutboxPlace(nil, environment: ["XDG_STATE_HOME": "/s", "HOME": "/h"]).name == "/s/errand/outbox")
    #expect(
      try OutboxPlace(nil, environment: ["XDG_STATE_HOME": "s", "HOME": "/h"]).name
        == "/h/.local/state/errand/outbox")
    #expect(throws: CommandFailure.self) { try OutboxPlace(nil, environment: [:]) }
    #expect(try OutboxPlace("box", environment: [:]).option == " --store box")
    #expect(throws: CommandFailure.self) { try OutboxPlace("/etc/passwd", environment: [:]) }
  }

  @Test func `JSON has times in ISO 8601, and states by their names`() throws {
    let record = OutboxRecord.sample("a", 1, .deadLettered) { $0.nextAttempt = now }
    let text = JSONText.text(record, isPretty: false)
    #expect(text.contains(#""nextAttempt":"1970-01-01T00:01:40.000Z""#))
    #expect(text.contains(#""state":"dead-letter""#))
  }

  @Test func `secrets are used only for the attempts of their own request`() {
    let request = Request.post("https://a.example/").field("Authorization", "x").field("X-A", "b")
    let own = GuaranteedRequest(request, keepsSecrets: false)
    #expect(own.request.fields["Authorization"] == nil && own.request.fields["X-A"] == "b")
    #expect(own.credentials?.covers(own.request) == true)
    #expect(own.credentials?.covers(GuaranteedRequest(request, keepsSecrets: false).request) == false)
    var elsewhere = Request.post("https://b.example/")
    elsewhere.fields = own.request.fields
    #expect(own.credentials?.covers(elsewhere) == false)
    #expect(GuaranteedRequest(request, keepsSecrets: true).request.fields["Authorization"] == "x")
  }
}
