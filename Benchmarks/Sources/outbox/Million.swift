import BenchmarkSupport
import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxSQLite
import Foundation

/// Measures opening, inspecting and draining an outbox with very many requests.
struct Million {
  let rows: Int
  let rounds: Int
  let seconds: Int
  let url: String
  let place: Place

  func report() async throws {
    try await place.withFolder { folder in
      try await fill(folder)
      var opened: [Double] = []
      var looked: [Double] = []
      var first: [Double] = []
      for _ in 0..<rounds {
        let (open, look) = try await open(folder)
        opened.append(open)
        looked.append(look)
        first.append(try await firstDelivery(folder))
      }
      print("\(rows) stored requests, median of \(rounds) rounds, ms")
      for (name, values) in [
        ("to open", opened), ("statistics", looked), ("from opening to the first delivery", first),
      ] {
        print("  \(name.left(36))\(Statistics.median(values).fixed(1).right(9))  (under 300)")
      }
      // Draining runs in a separate process, so that only its memory is measured.
      let report = folder.appending(path: "drain.txt").path
      try Child.run(
        [
          CommandLine.arguments[0], "--what", "draining", "--url", url, "--seconds", "\(seconds)", "--folder",
          folder.path,
        ], output: report)
      print(try String(contentsOfFile: report, encoding: .utf8), terminator: "")
    }
  }

  /// Delivers from an existing outbox for a while.
  static func drain(_ folder: URL, seconds: Int) async throws {
    let client = Client(transport: CurlTransport())
    client.limits = .unlimited
    var configuration = OutboxConfiguration()
    configuration.concurrency = 64
    configuration.perOrigin = 64
    let outbox = try await Outbox(at: folder, client: client, configuration: configuration)
    let before = try await outbox.statistics().counts[.stored] ?? 0
    let begin = ContinuousClock.now
    try await Task.sleep(for: .seconds(seconds))
    let left = try await outbox.statistics().counts[.stored] ?? 0
    let rate = Double(before - left) / (ContinuousClock.now - begin).inSeconds
    let memory = Double(ProcessUsage.peakMemory) / Double(1 << 20)
    await outbox.close()
    await client.shutdown()
    print(
      "  drained for \(seconds) s: \(rate.fixed(0)) requests/s, at most \(memory.fixed(1)) MiB of memory (under 60)"
    )
  }

  private func fill(_ folder: URL) async throws {
    var configuration = OutboxConfiguration()
    configuration.delivers = false
    configuration.caps.bytes = nil
    let outbox = try await Outbox(
      at: folder, client: Client(transport: CurlTransport()), configuration: configuration)
    let batch = Array(repeating: Request.post(url, .bytes(Data(repeating: 120, count: 100))), count: 1000)
    for _ in 0..<(rows / batch.count) { try await outbox.enqueue(batch) }
    await outbox.close()
  }

  private func open(_ folder: URL) async throws -> (open: Double, look: Double) {
    var configuration = OutboxConfiguration()
    configuration.delivers = false
    let begin = ContinuousClock.now
    let outbox = try await Outbox(
      at: folder, client: Client(transport: CurlTransport()), configuration: configuration)
    let opened = ContinuousClock.now
    let statistics = try await outbox.statistics()
    let looked = ContinuousClock.now
    guard statistics.counts[.stored, default: 0] > 0 else {
      throw Arguments.Wrong(description: "the outbox has no requests")
    }
    await outbox.close()
    return ((opened - begin).inSeconds * 1000, (looked - opened).inSeconds * 1000)
  }

  private func firstDelivery(_ folder: URL) async throws -> Double {
    let client = Client(transport: CurlTransport())
    let begin = ContinuousClock.now
    var configuration = OutboxConfiguration()
    configuration.delivers = false
    let outbox = try await Outbox(at: folder, client: client, configuration: configuration)
    let events = outbox.events
    outbox.deliver()
    for await event in events {
      if case .delivered = event.step { break }
    }
    let time = (ContinuousClock.now - begin).inSeconds * 1000
    await outbox.close()
    await client.shutdown()
    return time
  }
}
