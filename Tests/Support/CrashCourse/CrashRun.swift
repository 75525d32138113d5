import Foundation

/// One outbox: its workers, their reports, and the requests that the server received.
struct CrashRun {
  private let place: URL
  private let url: String
  private let server: TestServer
  private let seals: Bool
  private let database: (url: String, schema: String)?
  private var started = 0
  private var next = 0
  private var accepted: Set<Int> = []
  /// The entries of the outbox at its end, in the order of enqueue.
  private var entries: [(number: Int, state: String)] = []

  /// - Parameter database: The URL of a PostgreSQL database, in which the run has a dedicated schema.
  init(place: URL, url: String, server: TestServer, seals: Bool, database: String?) {
    self.database = database.map { ($0, "run_\(UInt64.random(in: 0...(.max)))") }
    self.place = place
    self.url = url
    self.server = server
    self.seals = seals
  }

  /// True if no worker was started yet.
  var isNew: Bool { started == 0 }

  private var outbox: URL { place.appending(path: "outbox", directoryHint: .isDirectory) }

  /// Starts the next worker, with new test requests.
  mutating func start(
    _ end: WorkerOrders.End, requests: Int, isTalkative: Bool = false
  ) throws -> WorkerProcess {
    var path = outbox.path
    if path.hasSuffix("/") { path.removeLast() }
    var orders = WorkerOrders(folder: path, server: url, numbers: next..<next + requests)
    orders.end = end
    orders.seals = seals
    orders.isTalkative = isTalkative
    orders.database = database
    orders.seed = UInt64(started)
    next += requests
    started += 1
    return try WorkerProcess(orders, output: place.appending(path: "worker \(started)"))
  }

  mutating func read(_ said: [[String]]) {
    for words in said where words.count > 2 {
      guard let number = Int(words[1]) else { continue }
      if words[0] == "accepted" { accepted.insert(number) }
      if words[0] == "entry" { entries.append((number, words[2])) }
    }
  }

  /// Checks the results when all requests have ended.
  func settle(into report: inout CrashReport) {
    let ledger = server.ledger
    report.accepted += accepted.count
    report.delivered += accepted.count { ledger.taken[$0] != nil }
    for keys in ledger.taken.values {
      report.doubledWithKey += keys.values.reduce(0) { $0 + $1 - 1 }
      report.doubledWithoutKey += keys.count - 1
    }
    report.violations += ledger.violations
    checkEntries(ledger, &report)
    checkGroups(ledger, &report)
    checkLanes(ledger, &report)
    checkFiles(&report)
  }

  private func checkEntries(_ ledger: TestServerLedger, _ report: inout CrashReport) {
    let numbers = Set(entries.map(\.number))
    if numbers.count < entries.count { report.violations.append("a request is stored twice") }
    for number in accepted where !numbers.contains(number) {
      report.violations.append("request \(number) was accepted, and the outbox has no record of it")
    }
    for entry in entries where entry.state != "delivered" {
      report.violations.append("request \(entry.number) is \(entry.state) at the end")
    }
    for number in ledger.taken.keys where !numbers.contains(number) {
      report.violations.append("request \(number) was sent without being stored")
    }
    for number in numbers where ledger.taken[number] == nil {
      report.violations.append("request \(number) is recorded as delivered, and never was")
    }
  }

  /// Checks that each group is stored completely or not at all, even if no worker survived to report it as
  /// accepted.
  private func checkGroups(_ ledger: TestServerLedger, _ report: inout CrashReport) {
    let numbers = Set(entries.map(\.number))
    for group in ledger.groups where !numbers.isSuperset(of: group) {
      report.violations.append("only a part of the group \(group) was stored")
    }
  }

  /// Checks for each lane that the requests first arrived in the order of enqueue.
  private func checkLanes(_ ledger: TestServerLedger, _ report: inout CrashReport) {
    let came = Dictionary(grouping: ledger.arrivals) { TestRequest($0).lane }
    let stored = Dictionary(grouping: entries.map(\.number)) { TestRequest($0).lane }
    for (lane, numbers) in stored {
      guard let lane, numbers != came[lane] ?? [] else { continue }
      report.violations.append("\(lane) was enqueued as \(numbers), and arrived as \(came[lane] ?? [])")
    }
  }

  private func checkFiles(_ report: inout CrashReport) {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: outbox.appending(path: "files").path))
    if let files, !files.isEmpty {
      report.violations.append("\(files.count) files were left behind, such as \(files[0])")
    }
  }
}
