import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import CrashCourse

/// The ledger of the crash tests detects each kind of violation.
@Suite struct TestServerLedgerTests {
  private var ledger = TestServerLedger()

  private mutating func arrive(
    _ number: Int, key: String, body: Data? = nil, sender: Int = 1, at now: Duration = .zero,
    running: Set<Int> = [1, 2]
  ) {
    let request = TestRequest(number)
    ledger.arrive(
      request, key: key, body: body ?? request.payload, group: nil, sender: sender, isTaken: true, at: now,
      hold: .milliseconds(2), isRunning: running.contains)
  }

  /// A test request whose body is its payload.
  private let number = (0..<100).first { TestRequest($0).kind == .small } ?? 0

  @Test mutating func `a ledger records a body that differs from the enqueued one`() {
    arrive(number, key: "a", body: Data("something else".utf8))
    #expect(ledger.violations.count == 1)
  }

  @Test mutating func `a ledger records two concurrent attempts while the sender of the first one lives`() {
    arrive(number, key: "a")
    arrive(number, key: "a", sender: 2, at: .milliseconds(1), running: [2])
    #expect(ledger.violations.isEmpty)
    arrive(number, key: "a", sender: 3, at: .milliseconds(2), running: [2])
    #expect(ledger.violations.count == 1)
    arrive(number, key: "a", at: .milliseconds(10))
    #expect(ledger.violations.count == 1)
  }

  @Test mutating func `a ledger counts repeated arrivals by idempotency key`() {
    arrive(number, key: "a")
    arrive(number, key: "a", at: .seconds(1))
    arrive(number, key: "b", at: .seconds(2))
    #expect(ledger.taken[number] == ["a": 2, "b": 1])
    #expect(ledger.arrivals == [number])
  }

  @Test func `a crash report fails if requests were lost, duplicated or not delivered`() throws {
    let folder = TemporaryFolder(isOnDisk: true)
    let server = TestServer(try .init(), seed: 1)
    var stay = CrashRun(place: folder.url, url: "", server: server, seals: false, database: nil)
    stay.read([
      ["accepted", "1", "id"], ["entry", "2", "stored", "key"], ["entry", "2", "delivered", "key"],
    ])
    var report = CrashReport(seed: 1)
    stay.settle(into: &report)
    #expect(report.lost == 1 && !report.isGood)
    #expect(report.violations.contains("request 1 was accepted, and the outbox has no record of it"))
    #expect(report.violations.contains("a request is stored twice"))
    #expect(report.violations.contains("request 2 is stored at the end"))
    #expect(report.violations.contains("request 2 is recorded as delivered, and never was"))
  }
}
