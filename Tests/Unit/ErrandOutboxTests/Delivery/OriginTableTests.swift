import ErrandTesting
import Testing

@testable import ErrandOutbox

struct OriginTableTests {
  private static let limits = OriginState.Limits(
    perOrigin: 4, firstPause: .seconds(1), longestPause: .seconds(60), longestUnauthorized: .seconds(600))

  private static func lease(_ number: Int64) -> Lease {
    Lease(id: OutboxID(rawValue: "\(number % 40)"), number: number)
  }

  private static func begin(_ table: inout OriginTable, _ origin: String, _ number: Int64, at now: Duration)
    -> Bool
  {
    guard table.mayBegin(origin) else { return false }
    table.wait(origin, by: 1)
    table.begin(lease(number), origin, at: now)
    return true
  }

  @Test func `forty hanging origins leave all slots to origins that respond`() {
    var table = OriginTable(total: 16, probes: 64, limits: Self.limits)
    var number: Int64 = 0
    for index in 0..<40 {
      number += 1
      #expect(Self.begin(&table, "hanging \(index)", number, at: .zero))
    }
    var inFlight: [Lease] = []
    for round in 0..<10 {
      for index in 0..<6 {
        number += 1
        if Self.begin(&table, "well \(index)", number, at: .milliseconds(round)) {
          inFlight.append(Self.lease(number))
        }
      }
      for lease in inFlight { _ = table.end(lease, .responded, at: .milliseconds(round)) }
      inFlight = []
    }
    var begun = 0
    for _ in 0..<4 {
      for index in 0..<6 {
        number += 1
        if Self.begin(&table, "well \(index)", number, at: .milliseconds(20)) { begun += 1 }
      }
    }
    #expect(begun == 16 && table.regular == 16)
  }

  @Test(arguments: [("https://shared.example:443", 1), ("https://shared.example:443 acme", 3)])
  func `an origin has its limit, and each key has another one`(name: String, most: Int) {
    var limits = Self.limits
    (limits.perOrigin, limits.perKey) = (1, 3)
    var table = OriginTable(total: 16, probes: 64, limits: limits)
    var number: Int64 = 0
    for _ in 0..<5 {
      number += 1
      #expect(Self.begin(&table, name, number, at: .zero))
      _ = table.end(Self.lease(number), .responded, at: .zero)
    }
    let begun = (0..<5).count { Self.begin(&table, name, number + 1 + Int64($0), at: .zero) }
    #expect(begun == most)
    #expect(table.wish(mostWaiting: 320).capacities[name] == 4 * most)
  }

  @Test
  func `rows that were claimed for a slow rate are given back, so that a higher priority can go before them`()
  {
    var table = OriginTable(total: 16, probes: 64, limits: Self.limits)
    _ = Self.begin(&table, "a", 1, at: .zero)
    _ = table.end(Self.lease(1), .responded, at: .zero)
    table.wait("a", by: 3)
    table.rest("a", until: .milliseconds(20), at: .zero)
    #expect(!table.givesBack("a"))
    table.rest("a", until: .milliseconds(21), at: .zero)
    #expect(table.givesBack("a"))
  }

  @Test func `hanging origins leave half of the probes to unknown origins`() {
    var table = OriginTable(total: 16, probes: 64, limits: Self.limits)
    for index in 0..<64 { #expect(Self.begin(&table, "hanging \(index)", Int64(index), at: .zero)) }
    _ = table.advance(to: .seconds(1))
    let wish = table.wish(mostWaiting: 320)
    #expect(wish.others == 32)
    #expect(wish.capacities.values.reduce(0, +) == 32)
  }

  @Test func `behind 500 hanging origins, an unknown one is probed within a second and a half`() {
    var table = OriginTable(total: 16, probes: 64, limits: Self.limits)
    var (now, number) = (Duration.zero, Int64(0))
    while !table.mayBegin("healthy") || number < 500 {
      while number < 500, Self.begin(&table, "hanging \(number)", number, at: now) { number += 1 }
      guard now < .milliseconds(1500) else { break }
      now += .milliseconds(10)
      _ = table.advance(to: now)
    }
    #expect(now < .milliseconds(1500) && number == 500)
  }

  @Test func `origins that stop responding give their slots back after a second`() {
    var table = OriginTable(total: 4, probes: 64, limits: Self.limits)
    var number: Int64 = 0
    for _ in 0..<4 {
      number += 1
      _ = Self.begin(&table, "a", number, at: .zero)
      _ = table.end(Self.lease(number), .responded, at: .zero)
    }
    for _ in 0..<4 {
      number += 1
      #expect(Self.begin(&table, "a", number, at: .zero))
    }
    number += 1
    #expect(Self.begin(&table, "b", number, at: .zero))
    _ = table.end(Self.lease(number), .responded, at: .zero)
    // All slots are in use.
    #expect(!table.mayBegin("b"))
    _ = table.advance(to: .seconds(1))
    #expect(table.regular == 0 && table.hanging == 4 && table.mayBegin("b"))
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func `an open origin gets one probe at a time and does not stay open, and no slot is lost`(
    _ seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let (total, probes) = (Int.random(in: 1...6, using: &random), Int.random(in: 1...6, using: &random))
    var table = OriginTable(total: total, probes: probes, limits: Self.limits)
    let names = (0..<Int.random(in: 1...8, using: &random)).map { "origin \($0)" }
    var now = Duration.zero
    var number: Int64 = 0
    var inFlight: [(lease: Lease, origin: String, epoch: Int)] = []
    var openSince: [String: Duration] = [:]
    for _ in 0..<600 {
      let name = names[Int.random(in: names.indices, using: &random)]
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let (regular, account) = (table.regular, table.origins[name]?.account ?? .probing)
        number += 1
        if Self.begin(&table, name, number, at: now) {
          #expect(account != .regular || regular < total)
          inFlight.append((Self.lease(number), name, table.origins[name]?.epoch ?? -1))
        }
      case 4..<8:
        guard !inFlight.isEmpty else { continue }
        let ended = inFlight.remove(at: Int.random(in: inFlight.indices, using: &random))
        let before = table.origins[ended.origin]
        let signs: [OriginSign] = [
          .responded, .responded, .none, .failed(reason: "", .responded),
          .failed(reason: "", .unreachable), .busy(reason: "", for: .seconds(40)),
          .unauthorized(reason: ""),
        ]
        let sign = signs[Int.random(in: signs.indices, using: &random)]
        let news = table.end(ended.lease, sign, at: now)
        if ended.epoch != before?.epoch {
          // A late end counts only if the server says that it is busy.
          if case .busy = sign {
          } else {
            #expect(news == nil && table.origins[ended.origin]?.phase == before?.phase)
          }
        }
      case 8: now += .milliseconds(Int.random(in: 0...3000, using: &random))
      default: if Int.random(in: 0..<20, using: &random) == 0 { table.release([name]) }
      }
      _ = table.advance(to: now)
      table.tidy(at: now)
      for name in names {
        let state = table.origins[name]
        let own = inFlight.filter { $0.origin == name }
        #expect(state?.inFlight ?? 0 == own.count)
        #expect(own.count <= 4 + own.count { $0.epoch != state?.epoch })
        if let state, state.phase == .halfOpen {
          #expect(state.movingProbes <= 1 && own.count { $0.epoch == state.epoch } <= 4)
        }
        if state?.isOpen == true {
          let since = openSince[name] ?? now
          openSince[name] = since
        } else {
          openSince[name] = nil
        }
        #expect(now - (openSince[name] ?? now) <= .seconds(4000))
      }
      let moving = names.reduce(0) { $0 + (table.origins[$1]?.moving ?? 0) }
      #expect(table.regular + table.probing == moving)
      #expect(table.regular + table.probing + table.hanging == inFlight.count)
    }
    // When all attempts have ended, every origin may be sent to again.
    for ended in inFlight { _ = table.end(ended.lease, .none, at: now) }
    _ = table.advance(to: now + .seconds(600))
    for name in names { #expect(table.mayBegin(name)) }
    #expect(table.regular + table.probing + table.hanging == 0)
  }

  @Test func `origins that were idle for a long time are forgotten`() {
    var table = OriginTable(total: 4, probes: 4, limits: Self.limits)
    for number in 0..<1000 {
      _ = Self.begin(&table, "\(number)", Int64(number), at: .zero)
      _ = table.end(Self.lease(Int64(number)), .responded, at: .zero)
    }
    table.tidy(at: .seconds(61))
    #expect(table.origins.isEmpty && table.hungryRegular == 0 && table.hungryProbing == 0)
  }
}
