import ErrandOutbox
import Testing

@testable import ErrandCommands

@Suite struct OutboxRatesTests {
  private func rates(_ readings: [(second: Double, stored: Int, delivered: Int)]) -> OutboxRates {
    var rates = OutboxRates()
    for reading in readings {
      rates.take(
        [.stored: reading.stored, .delivered: reading.delivered], at: .seconds(reading.second))
    }
    return rates
  }

  @Test func `the first reading does not count, because its time is unknown`() {
    let rates = rates([(100, 50, 1000)])
    #expect(rates.line(at: .seconds(100)).hasPrefix("stored 0/s, delivered 0/s ▁▁"))
  }

  @Test func `rates cover the last ten whole seconds`() {
    var readings = [(second: 0.0, stored: 100, delivered: 0)]
    for second in 0..<20 { readings.append((Double(second) + 0.5, 100, (second + 1) * 3)) }
    let line = rates(readings).line(at: .seconds(20))
    #expect(line.hasPrefix("stored 3/s, delivered 3/s "))
  }

  @Test func `at the beginning a rate covers the seconds since the start`() {
    let line = rates([(7, 10, 0), (7.5, 8, 2), (8.5, 7, 3)]).line(at: .seconds(9))
    #expect(line.hasPrefix("stored 0/s, delivered 1.5/s "))
  }

  @Test func `each second has a bar, whose height is the number of deliveries`() {
    let rates = rates([(0, 20, 0), (1, 16, 4), (2, 8, 12), (3, 7, 13), (3.5, 7, 13)])
    let bars = rates.line(at: .seconds(4)).split(separator: " ").last ?? ""
    #expect(bars.count == OutboxRates.span)
    #expect(bars.hasSuffix("▁▅█▂▁"))
    #expect(rates.line(at: .seconds(100)).hasSuffix(String(repeating: "▁", count: OutboxRates.span)))
  }

  @Test func `forgotten requests do not count towards a rate`() {
    let line = rates([(0, 5, 1000), (1, 5, 400), (2, 5, 400)]).line(at: .seconds(3))
    #expect(line.hasPrefix("stored 0/s, delivered 0/s "))
  }

  @Test func `a long watch keeps a limited number of seconds`() {
    var rates = OutboxRates()
    for second in 0..<10_000 { rates.take([.delivered: second], at: .seconds(second)) }
    let seconds = Mirror(reflecting: rates).children.first { $0.label == "seconds" }?.value as? [Any]
    #expect(seconds?.count == OutboxRates.span)
  }
}
