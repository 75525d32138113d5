import Testing

@testable import FleetCourse

@Suite struct FleetLedgerTests {
  private func arrive(
    _ ledger: inout FleetLedger, _ number: Int, key: String? = "k", isWhole: Bool = true, isTaken: Bool = true
  ) {
    ledger.arrive(
      FleetRequest(number), key: key.map { "\($0) \(number)" }, isWhole: isWhole, isTaken: isTaken)
  }

  @Test func `what was accepted and never taken is lost`() {
    var ledger = FleetLedger(count: 12)
    ledger.accept([0, 1, 2])
    arrive(&ledger, 0)
    arrive(&ledger, 1, isTaken: false)
    #expect(ledger.missing == [1, 2] && ledger.delivered == 1 && !ledger.isGood)
    arrive(&ledger, 1)
    arrive(&ledger, 2)
    #expect(ledger.lost == 0 && ledger.delivered == 3 && ledger.isGood)
  }

  @Test func `a repeat with its key is counted, and is no fault`() {
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

  @Test func `a request of a lane must not arrive before the one before it was taken`() {
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

  @Test func `what was rolled back must not arrive, nor another body`() {
    var ledger = FleetLedger(count: 12)
    arrive(&ledger, 12)
    arrive(&ledger, 0, isWhole: false)
    #expect(ledger.violations.count == 2 && !ledger.isGood)
  }
}

@Suite struct FleetRequestTests {
  @Test func `the requests of a lane are of one writer and one receiver, and each has the one before it`() {
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

  @Test func `every receiver has requests, and a path names its number`() {
    #expect(Set((0..<4000).map { FleetRequest($0).receiver }) == Set(0..<FleetRequest.receivers))
    #expect(FleetRequest(path: "/requests/17")?.number == 17)
    #expect(FleetRequest(path: "/requests/") == nil && FleetRequest(path: "/17") == nil)
  }
}
