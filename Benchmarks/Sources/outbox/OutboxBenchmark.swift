import BenchmarkSupport
import Foundation

/// Measures the outbox: storing, delivering, a million requests, isolation, bursts and idling.
@main
struct OutboxBenchmark {
  static func main() async {
    do {
      let arguments = try Arguments(["what", "url", "count", "rounds", "seconds", "folder"])
      let rounds = try arguments.number("rounds", default: 5)
      let place = Place(root: arguments["folder"] ?? NSTemporaryDirectory())
      switch try arguments.need("what") {
      case "storing":
        try await Storing(rows: try arguments.number("count", default: 3000), rounds: rounds, place: place)
          .report()
      case "delivering":
        try await Delivering(
          requests: try arguments.number("count", default: 20_000), rounds: rounds,
          url: try arguments.need("url"), place: place
        ).report()
      case "million":
        try await Million(
          rows: try arguments.number("count", default: 1_000_000), rounds: rounds,
          seconds: try arguments.number("seconds", default: 10), url: try arguments.need("url"), place: place
        ).report()
      case "draining":
        try await Million.drain(
          URL(filePath: try arguments.need("folder")), seconds: try arguments.number("seconds", default: 10))
      case "isolation":
        try await Isolation(
          perOrigin: try arguments.number("count", default: 1000), rounds: rounds,
          url: try arguments.need("url"), place: place
        ).report()
      case "burst":
        try await Burst(
          requests: try arguments.number("count", default: 40_000), rounds: rounds,
          url: try arguments.need("url"), place: place
        ).report()
      case "idle":
        try await Idle(seconds: try arguments.number("seconds", default: 60), place: place).report()
      default:
        throw Arguments.Wrong(
          description: "--what takes storing, delivering, million, isolation, burst or idle")
      }
    } catch {
      FileHandle.standardError.write(Data("outbox: \(error)\n".utf8))
      exit(1)
    }
  }
}
