import BenchmarkSupport
import ErrandCore
import ErrandCurl
import Foundation

/// Measures the time from `cancel()` until the server sees the connection closed, for many requests in flight.
@main
struct Cancel {
  static func main() async {
    do {
      #if os(Linux)
        try await measure()
      #else
        throw Arguments.Wrong(description: "this benchmark runs only on Linux, because its server uses epoll")
      #endif
    } catch {
      FileHandle.standardError.write(Data("cancel: \(error)\n".utf8))
      exit(1)
    }
  }

  #if os(Linux)
    private static func measure() async throws {
      let arguments = try Arguments(["requests", "rounds"])
      let count = try arguments.number("requests", default: 1000)
      let rounds = try arguments.number("rounds", default: 5)
      ProcessUsage.allowFiles(count * 2 + 256)
      print("\(count) requests in flight, cancelled one after another, \(rounds) rounds")
      var missed = 0
      for (name, pause) in [("at once", Duration.zero), ("one per ms", .milliseconds(1))] {
        var (waits, held, last) = ([Double](), [Double](), [Double]())
        for _ in 0..<rounds {
          let round = try await round(count, pause)
          waits += round.waits
          held.append(round.held)
          last.append(round.last)
        }
        print("  \(name), closed".left(22) + "\(waits.count)/\(count * rounds)".right(12))
        print("  median".left(22) + "\(Statistics.median(waits).fixed(2).right(12)) ms")
        print(
          "  p99".left(22)
            + "\(Statistics.percentile(0.99, waits).fixed(2).right(12)) ms  (under \(pause == .zero ? 15 : 5))"
        )
        print("  longest".left(22) + "\((waits.max() ?? .nan).fixed(2).right(12)) ms")
        if pause == .zero {
          print(
            "  blocks its caller".left(22) + "\(Statistics.median(held).fixed(2).right(12)) ms  (at most 5)")
          print(
            "  all are closed after".left(22)
              + "\(Statistics.median(last).fixed(2).right(12)) ms  (within 15)")
        }
        missed += count * rounds - waits.count
      }
      if missed > 0 { throw Arguments.Wrong(description: "\(missed) connections were not closed") }
    }

    /// Times in milliseconds: until each connection was closed, of all calls of `cancel` together, and from the
    /// first call until the last connection was closed.
    private typealias Round = (waits: [Double], held: Double, last: Double)

    private static func round(_ count: Int, _ pause: Duration) async throws -> Round {
      let server = try StallingServer()
      server.start()
      defer { server.stop() }
      let client = Client(transport: CurlTransport())
      client.limits = .unlimited
      let tasks = (0..<count).map { number in
        Task {
          let url = "http://127.0.0.1:\(server.port)/\(number)"
          _ = try await client.send(.get(url).timeout(.seconds(60)).bestEffort())
        }
      }
      try await wait("only \(server.arrived) of \(count) requests arrived") { server.arrived == count }
      var instants: [ContinuousClock.Instant] = []
      for task in tasks {
        instants.append(.now)
        task.cancel()
        if pause > .zero { try await Task.sleep(for: pause) }
      }
      let held = ((instants.first ?? .now).duration(to: .now)).inSeconds * 1000
      try? await wait("") { server.closed.count == count }
      for task in tasks { _ = await task.result }
      await client.shutdown()
      let closed = server.closed
      let last = closed.values.max().map { (instants[0].duration(to: $0)).inSeconds * 1000 } ?? .nan
      return (closed.map { (number, closed) in (closed - instants[number]).inSeconds * 1000 }, held, last)
    }

    private static func wait(_ problem: @autoclosure () -> String, until isSo: () -> Bool) async throws {
      let end = ContinuousClock.now + .seconds(10)
      while !isSo() {
        guard ContinuousClock.now < end else { throw Arguments.Wrong(description: problem()) }
        // The polling is rare enough not to disturb the measurement.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  #endif
}
