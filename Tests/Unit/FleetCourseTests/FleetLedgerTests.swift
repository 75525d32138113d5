import Testing

@testable import FleetCourse

@Suite struct FleetLedgerTests {
  private func arrive(
    _ ledger: inout FleetLedger, _ number: Int, key: String? = "k", isWhole: Bool = true, isTaken: Bool = true
  ) {
    var arrival = FleetArrival(key: key.map { "\($0) \(number)" })
    (arrival.isWhole, arrival.isTaken, arrival.hasResponse) = (isWhole, isTaken, false)
    ledger.arrive(FleetRequest(number), arrival)
  }

  @Test func `a request that was accepted and never reached its receiver is lost`() {
    var ledger = FleetLedger(count: 12)
    ledger.accept([0, 1, 2])
    arrive(&ledger, 0)
    arrive(&ledger, 1, isTaken: false)
    #expect(ledger.missing == [1, 2] && ledger.delivered == 1 && !ledger.isGood)
    arrive(&ledger, 1)
    arrive(&ledger, 2)
    #expect(ledger.lost == 0 && ledger.delivered == 3 && ledger.isGood)
  }

  @Test func `a repeat with its key is counted, and is not a fault`() {
    var ledger = FleetLedger(count: 12)
    arrive(&ledger, 0)
    arrive(&ledger, 0)
    #expect(ledger.doubledWithKey == 1 && ledger.doubledWithoutKey == 0 && ledger.isGood)
  }

  @Test func `a repeat with another key, and any arrival without one, is a fault`() {
    var ledger = FleetLedger(count: 12)
    arrive(&ledger, 0)
    arrive(&ledger, 0, key: "other")
    arrive(&ledger, 1, key: nil)
    #expect(ledger.doubledWithoutKey == 2 && !ledger.isGood)
  }

  @Test func `a request of a lane must not arrive before the previous one was accepted`() {
    let second = FleetRequest(8)
    #expect(second.predecessor?.number == 4 && second.lane == FleetRequest(4).lane)
    var ledger = FleetLedger(count: 12)
    arrive(&ledger, 4, isTaken: false)
    arrive(&ledger, 8, isTaken: false)
    arrive(&ledger, 8)
    #expect(ledger.outOfOrder == 1 && !ledger.isGood)
    var orderly = FleetLedger(count: 12)
    for number in [4, 8, 4] { arrive(&orderly, number) }
    #expect(orderly.outOfOrder == 0 && orderly.isGood)
  }

  @Test func `a request that was rolled back, or has a different body, must not arrive`() {
    var ledger = FleetLedger(count: 12)
    arrive(&ledger, 12)
    arrive(&ledger, 0, isWhole: false)
    #expect(ledger.violations.count == 2 && !ledger.isGood)
  }
}

@Suite struct FleetTroublesTests {
  private func ledger(_ times: [(sender: Int, at: Int)], _ troubles: FleetTroubles) -> FleetLedger {
    var ledger = FleetLedger(count: 12)
    ledger.troubles = troubles
    for (sender, time) in times {
      var arrival = FleetArrival(key: "k")
      (arrival.sender, arrival.time) = (sender, .seconds(time))
      ledger.arrive(FleetRequest(0), arrival)
    }
    return ledger
  }

  @Test func `a repeat without trouble of its senders is a fault`() {
    var troubles = FleetTroubles()
    troubles.end(troubles.begin(7, at: .seconds(3)), at: .seconds(4))
    #expect(ledger([(7, 1), (8, 3)], troubles).doubledWithoutReason == 0)
    #expect(ledger([(8, 4), (7, 9)], troubles).doubledWithoutReason == 0)
    let other = ledger([(8, 1), (9, 9)], troubles)
    #expect(other.doubledWithoutReason == 1 && other.doubledWithKey == 1 && !other.isGood)
    #expect(ledger([(7, 1), (8, 2)], troubles).doubledWithoutReason == 1)
    #expect(ledger([(7, 5), (8, 6)], troubles).doubledWithoutReason == 1)
  }

  @Test func `an unavailable database is trouble of all workers, and a killed worker's trouble has no end`() {
    var troubles = FleetTroubles()
    _ = troubles.begin(7, at: .seconds(50))
    troubles.end(troubles.begin(nil, at: .seconds(3)), at: .seconds(4))
    #expect(ledger([(8, 1), (9, 9)], troubles).doubledWithoutReason == 0)
    #expect(ledger([(8, 5), (9, 90)], troubles).doubledWithoutReason == 1)
    #expect(ledger([(7, 51), (9, 90)], troubles).doubledWithoutReason == 0)
  }

  @Test func `attempts that were counted and not seen are found`() {
    let ledger = ledger([(7, 1), (7, 2)], FleetTroubles())
    #expect(ledger.unseenAttempts([0: 2, 1: 3]) == 3)
    #expect(ledger.unseenAttempts([0: 1]) == 0)
  }
}

@Suite struct FleetRequestTests {
  @Test func `the requests of a lane have one writer and one receiver, and each has its predecessor`() {
    var last: [String: FleetRequest] = [:]
    for request in (0..<4000).map(FleetRequest.init) {
      guard let lane = request.lane else {
        #expect(request.predecessor == nil)
        continue
      }
      let before = last.updateValue(request, forKey: lane)
      #expect(request.predecessor?.number == before?.number)
      guard let before else { continue }
      #expect(before.receiver == request.receiver && before.writer == request.writer)
    }
    #expect(last.count == 160)
  }

  @Test func `every receiver has requests, and a path contains its number`() {
    #expect(Set((0..<4000).map { FleetRequest($0).receiver }) == Set(0..<FleetRequest.receivers))
    #expect(FleetRequest(path: "/requests/17")?.number == 17)
    #expect(FleetRequest(path: "/requests/") == nil && FleetRequest(path: "/17") == nil)
  }
}
