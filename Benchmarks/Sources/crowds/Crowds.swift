import BenchmarkSupport
import Foundation

/// Measures the cost of many requests that join one in-flight request, wait, end with a scope, or are forgotten.
@main
struct Crowds {
  static func main() async {
    do {
      let arguments = try Arguments(["what", "count", "rounds"])
      let rounds = try arguments.number("rounds", default: 5)
      switch try arguments.need("what") {
      case "joining":
        try await Joining(callers: try arguments.number("count", default: 100_000), rounds: rounds).report()
      case "ending":
        try await Ending(requests: try arguments.number("count", default: 10_000), rounds: rounds).report()
      case "forgetting":
        try await Forgetting(requests: try arguments.number("count", default: 1_000_000)).report()
      case "waiting":
        try await Waiting(callers: try arguments.number("count", default: 100_000)).report()
      default: throw Arguments.Wrong(description: "--what takes joining, ending, forgetting or waiting")
      }
    } catch {
      FileHandle.standardError.write(Data("crowds: \(error)\n".utf8))
      exit(1)
    }
  }
}
