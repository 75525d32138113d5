import ErrandTesting
import Testing

@testable import ErrandCore
@testable import ErrandObservability

@Suite struct HARTimingsTests {
  private func milliseconds(_ count: Int) -> Duration { .milliseconds(count) }

  @Test func `the steps of an attempt follow one another, and connecting includes TLS`() {
    var moments = HARTimings.Moments(
      begin: milliseconds(100), started: milliseconds(150), fieldsSent: milliseconds(190),
      bodySent: milliseconds(200), firstByte: milliseconds(300), end: milliseconds(320))
    (moments.dns, moments.connect, moments.tls) = (milliseconds(5), milliseconds(10), milliseconds(20))
    let timings = HARTimings(moments)
    #expect(timings.blocked == 55)
    #expect(timings.queueing == 50)
    #expect((timings.dns, timings.connect, timings.ssl) == (5, 30, 20))
    #expect((timings.send, timings.wait, timings.receive) == (10, 100, 20))
    #expect(timings.total == 220)
  }

  @Test func `a step that did not happen is -1, and a step with unknown times takes no time`() {
    let timings = HARTimings(
      HARTimings.Moments(begin: .zero, started: .zero, end: milliseconds(7)))
    #expect((timings.dns, timings.connect, timings.ssl) == (-1, -1, -1))
    #expect((timings.blocked, timings.send, timings.wait, timings.receive) == (0, 0, 7, 0))
    #expect(timings.total == 7)
  }

  @Test func `for any moments, no time is negative, and the total is the sum`() {
    for seed in 0..<2000 {
      var random = SeededRandom(seed: UInt64(seed))
      func any() -> Duration { .microseconds(Int.random(in: -1000...1_000_000, using: &random)) }
      func maybe() -> Duration? { Bool.random(using: &random) ? any() : nil }
      var moments = HARTimings.Moments(
        begin: any(), started: any(), fieldsSent: maybe(), bodySent: maybe(), firstByte: maybe(), end: any())
      (moments.dns, moments.connect, moments.tls) = (maybe(), maybe(), maybe())
      let timings = HARTimings(moments)
      let steps = [
        timings.blocked, timings.dns, timings.connect, timings.send, timings.wait, timings.receive,
      ]
      #expect(steps.allSatisfy { $0 == -1 || ($0 >= 0 && $0.isFinite) }, "seed \(seed)")
      #expect(abs(steps.filter { $0 > 0 }.reduce(0, +) - timings.total) < 0.001, "seed \(seed)")
      #expect(timings.ssl <= max(0, timings.connect), "seed \(seed)")
    }
  }
}
