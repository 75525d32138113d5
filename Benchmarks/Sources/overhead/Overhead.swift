import BenchmarkSupport
import Dispatch
import Foundation

/// Measures the client's overhead per request, compared with the client of an earlier commit. This program is
/// built with each of the two clients, and measures its client with `--child`. Without that option it runs both
/// programs alternately.
@main
struct Overhead {
  static func main() {
    do {
      let arguments = try Arguments(
        [
          "child", "tasks", "requests", "slices", "baseline", "rounds", "port", "quick", "toolchain",
        ], flags: ["record", "waits"])
      if arguments["quick"] != nil {
        try check(arguments)
      } else if arguments["child"] == nil {
        try compare(arguments)
      } else {
        // An asynchronous `main` would end the first thread, and then valgrind would crash.
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
          do { try await measure(arguments) } catch { fail(error) }
          isDone.signal()
        }
        isDone.wait()
      }
    } catch {
      fail(error)
    }
  }

  private static func fail(_ error: any Error) -> Never {
    FileHandle.standardError.write(Data("overhead: \(error)\n".utf8))
    exit(1)
  }

  /// Prints the time of each slice. Slices are short, so that some run undisturbed even on a busy machine.
  private static func measure(_ arguments: Arguments) async throws {
    let load = try load(try arguments.need("child"), arguments)
    let requests = try arguments.number("requests", default: 1000)
    let slices = try arguments.number("slices", default: 1)
    // This warms up caches and pools.
    if slices > 1 { _ = try await load.run(requests) }
    let before = ProcessUsage.waits
    for _ in 0..<slices { print(try await load.run(requests)) }
    if arguments.has("waits") {
      print(Double(ProcessUsage.waits - before) / Double(requests * load.tasks * slices))
    }
  }

  private static func load(_ name: String, _ arguments: Arguments) throws -> any Load {
    let tasks = try arguments.number("tasks", default: 1)
    switch name {
    case "plain": return PlainLoad(tasks: tasks)
    #if !BASELINE
      case "full": return FullLoad(tasks: tasks)
      case "socket": return SocketLoad(port: try arguments.number("port", default: 80), tasks: tasks)
      case let name where PartLoad.Part(rawValue: name) != nil:
        return PartLoad(PartLoad.Part(rawValue: name) ?? .task)
    #endif
    default: throw Arguments.Wrong(description: "--child does not take \(name)")
    }
  }

  private static func check(_ arguments: Arguments) throws {
    #if !BASELINE
      try QuickCheck(file: try arguments.need("quick"))
        .run(toolchain: arguments["toolchain"] ?? "", records: arguments.has("record"))
    #endif
  }

  private static func compare(_ arguments: Arguments) throws {
    let rounds = try arguments.number("rounds", default: 5)
    let comparison = Comparison(
      current: CommandLine.arguments[0], baseline: arguments["baseline"] ?? CommandLine.arguments[0])
    defer { comparison.remove() }
    guard arguments["baseline"] != nil else { return print(try comparison.alone(rounds: rounds * 2)) }
    for tasks in [1, 2] { print(try comparison.times(tasks: tasks, rounds: rounds * 4)) }
    print(try comparison.added(rounds: rounds * 4))
    #if !BASELINE
      print(try comparison.parts(rounds: rounds * 2))
    #endif
    if let text = try comparison.instructions() { print(text) }
  }
}
