import BenchmarkSupport
import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxSQLite
import Foundation

/// Measures deliveries to six healthy servers, alone and beside unhealthy servers whose requests are stored first.
struct Isolation {
  let perOrigin: Int
  let rounds: Int
  /// The URL of the first healthy server. The others use the next five ports.
  let url: String
  let place: Place

  private struct Trouble {
    let name: String
    let urls: [String]
  }

  func report() async throws {
    let silent = try (0..<40).map { _ in try Listener(backlog: 4096) }
    defer { for listener in silent { close(listener.descriptor) } }
    let dead = try (0..<2).map { _ in
      let listener = try Listener(backlog: 1)
      close(listener.descriptor)
      return "http://127.0.0.1:\(listener.port)/"
    }
    let hanging = silent.map { "http://127.0.0.1:\($0.port)/" }
    let failing = "http://localhost:\(try port())/failing"
    let troubles = [
      Trouble(
        name: "2 dead, 1 hanging, 1 that responds with 500", urls: dead + hanging.prefix(1) + [failing]),
      Trouble(name: "40 hanging", urls: hanging),
      Trouble(name: "all of these", urls: dead + hanging + [failing]),
    ]
    var alone: [[Double]] = troubles.map { _ in [] }
    var beside = alone
    for _ in 0..<rounds {
      for (index, trouble) in troubles.enumerated() {
        alone[index].append(try await seconds(beside: []))
        beside[index].append(try await seconds(beside: trouble.urls))
      }
    }
    print(
      "\(6 * perOrigin) requests to 6 healthy servers, behind those to unhealthy servers, median of \(rounds) rounds"
    )
    for (index, trouble) in troubles.enumerated() {
      print(
        "  \(trouble.name.left(38))\(Statistics.median(beside[index]).fixed(2).right(6)) s, alone "
          + "\(Statistics.median(alone[index]).fixed(2)) s: "
          + "\(Statistics.medianRatio(beside[index], alone[index]).fixed(2)) times as long (at most 1.15)")
    }
  }

  private func port() throws -> Int {
    guard let port = URL(string: url)?.port else { throw Arguments.Wrong(description: "--url has no port") }
    return port
  }

  private func seconds(beside troubled: [String]) async throws -> Double {
    try await place.withFolder { folder in
      var configuration = OutboxConfiguration()
      configuration.delivers = false
      configuration.reachability = nil
      let client = Client(transport: CurlTransport())
      let outbox = try await Outbox(at: folder, client: client, configuration: configuration)
      let body = Data(repeating: 120, count: 200)
      let first = try port()
      let well = (0..<6).map { "http://127.0.0.1:\(first + $0)/small" }
      let share = troubled.count > 10 ? perOrigin / 10 : perOrigin
      for _ in 0..<share { try await outbox.enqueue(troubled.map { .post($0, .bytes(body)) }) }
      for _ in 0..<(perOrigin / 100) {
        try await outbox.enqueue((0..<100).flatMap { _ in well.map { .post($0, .bytes(body)) } })
      }
      let begin = ContinuousClock.now
      outbox.deliver()
      while try await outbox.statistics().counts[.delivered, default: 0] < 6 * perOrigin {
        try await Task.sleep(for: .milliseconds(5))
      }
      let seconds = (ContinuousClock.now - begin).inSeconds
      await outbox.close(within: .zero)
      await client.shutdown(within: .zero)
      return seconds
    }
  }
}
