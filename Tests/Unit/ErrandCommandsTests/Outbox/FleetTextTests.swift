import ErrandOutbox
import Foundation
import TestSupport
import Testing

@testable import ErrandCommands

@Suite struct FleetTextTests {
  private let now = Date(timeIntervalSince1970: 1000)

  @Test(arguments: [
    ("postgres://ada:mk0f1@db.example.com/app", "postgres://***@db.example.com/app"),
    ("postgres://db/app?password=mk0f1&sslmode=require", "postgres://db/app?password=***&sslmode=require"),
    ("postgres://db/app?sslpassword=mk0f1", "postgres://db/app?sslpassword=***"),
    ("postgresql://ada:mk0/f1@x@db/app", "postgresql://***@db/app"),
    ("POSTGRES://u:mk0f1@a:1,b:2/app", "POSTGRES://***@a:1,b:2/app"),
    ("postgres:u:mk0f1@db/app", "***@db/app"),
  ])
  func `a database is shown without its password`(_ url: String, _ shown: String) throws {
    let place = try OutboxPlace(url, environment: [:])
    #expect(place.name == shown && place.exists && !place.option.contains("mk0f1"))
    #expect(place.option.hasPrefix(" --store "))
  }

  @Test(arguments: ["mysql://u:mk0f1@db/app", "http://db/app?password=mk0f1"])
  func `another URL is refused as a store`(_ url: String) {
    let failure = #expect(throws: CommandFailure.self) { try OutboxPlace(url, environment: [:]) }
    #expect(failure?.exit == .usage && failure?.message.contains("mk0f1") == false)
  }

  @Test func `an outbox is healthy if its requests are being delivered`() {
    var statistics = OutboxStatistics()
    #expect(
      OutboxHealth(statistics, workers: 0, oldest: nil, at: now)
        == OutboxHealth(true, "there are 0 requests to deliver, 0 workers are alive"))
    statistics.counts = [.stored: 1, .delivered: 9]
    statistics.oldest = 900_000
    #expect(
      OutboxHealth(statistics, workers: 0, oldest: nil, at: now)
        == OutboxHealth(false, "there is 1 request to deliver, but no worker is alive"))
    #expect(
      OutboxHealth(statistics, workers: 1, oldest: .seconds(99), at: now)
        == OutboxHealth(false, "a request has waited for 1m, longer than the limit of 1m"))
    #expect(OutboxHealth(statistics, workers: 1, oldest: .seconds(100), at: now).isGood)
    // It is unknown whether a process delivers from a folder.
    #expect(
      OutboxHealth(statistics, workers: nil, oldest: nil, at: now)
        == OutboxHealth(true, "there is 1 request to deliver"))
  }

  @Test func `an outbox is unhealthy if a request is attempting and no process renews its lease`() {
    let records = ["a", "b", "c"].map { OutboxRecord.sample($0, 1, .attempting) { $0.changed = now - 600 } }
    let statistics = OutboxStatistics()
    #expect(
      OutboxHealth(statistics, Array(records.prefix(1)), workers: 1, oldest: nil, at: now)
        == OutboxHealth(
          false,
          "a (POST http://a/) has been attempting for 10m, and its lease has ended: its worker is gone or hangs, and no "
            + "other worker took over. To retry it: errand outbox retry --force a"))
    let several = OutboxHealth(statistics, records, workers: nil, oldest: nil, at: now)
    #expect(!several.isGood && several.reason.contains("for 10m, as are 2 others, and its lease has ended"))
  }

  @Test func `workers are shown as a table, and as JSON`() throws {
    let worker = WorkerRecord(
      id: 7, name: "web-1/12", isAlive: true, started: now - 60, silence: 3, requests: 64, lanes: 2,
      oldestClaim: now - 5)
    var gone = worker
    (gone.id, gone.isAlive, gone.silence, gone.oldestClaim) = (12, false, 45, nil)
    #expect(
      WorkerTable(now: now).lines([worker, gone]) == [
        "ID  NAME      STATE  UP  HEARTBEAT  REQUESTS  LANES  OLDEST",
        "7   web-1/12  alive  1m  3s ago     64        2      5s ago",
        "12  web-1/12  gone   1m  45s ago    64        2      -",
      ])
    #expect(JSONText.text(worker, isPretty: false).contains(#""isAlive":true,"lanes":2,"name":"web-1/12""#))
  }

  @Test func `a folder has a health, and no workers`() async throws {
    try await TemporaryFolder.using { folder in
      let healthy = try await Tool.run("outbox", "health", "--store", "box", in: folder)
      #expect(healthy.code == 0 && healthy.text == "healthy: nothing has been stored in box yet\n")
      _ = try await Tool.run(
        "post", "http://127.0.0.1:1/", "-d", "x", "--guaranteed", "--detach", "--store", "box", in: folder)
      let late = try await Tool.run("outbox", "health", "--store", "box", "--oldest", "0.001", in: folder)
      #expect(late.code == 1 && late.text.hasPrefix("unhealthy: a request has waited for "))
      for command in ["workers", "migrate"] {
        let result = try await Tool.run("outbox", command, "--store", "box", in: folder)
        #expect(result.code == 2 && result.error.contains("--store postgres://HOST/DATABASE"))
      }
    }
  }
}
