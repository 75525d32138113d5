import BenchmarkSupport
import CAllocator
import CurlLoop
import ErrandCore
import ErrandCurl
import Foundation

/// Measures what connections cost while nothing happens on them: their memory, beside that of a plain libcurl loop, and
/// how often the process wakes up.
@main
struct Connections {
  private let count: Int
  private let url: String
  private let authorities: String?

  static func main() async {
    do {
      let arguments = try Arguments(["url", "ca", "count"])
      let count = try arguments.number("count", default: 200)
      ProcessUsage.allowFiles(count * 4 + 256)
      try await Connections(count: count, url: try arguments.need("url"), authorities: arguments["ca"]).report()
    } catch {
      FileHandle.standardError.write(Data("connections: \(error)\n".utf8))
      exit(1)
    }
  }

  private func report() async throws {
    print("\(count) idle connections")
    let alone = wakeUps()
    let client = try await errand()
    row("bytes for each, Errand", client.memory)
    row("wake-ups of the process in 5 s", Double(wakeUps() - alone), "(at most 0)")
    await client.end()
    row("bytes for each, libcurl", try await libcurl())
  }

  private func row(_ name: String, _ figure: Double?, _ bar: String = "") {
    print("  \(name.left(32))\((figure.map { $0.fixed(0) } ?? "-").right(9))  \(bar)")
  }

  /// - Returns: The memory of each connection, and what closes them.
  private func errand() async throws -> (memory: Double?, end: () async -> Void) {
    var configuration = CurlConfiguration()
    configuration.certificateAuthorityFile = authorities
    let client = Client(transport: CurlTransport(configuration: configuration))
    client.limits = .unlimited
    _ = try await client.send(.get(url))
    let memory = try await memory {
      try await withThrowingDiscardingTaskGroup { group in
        for _ in 0..<count { group.addTask { _ = try await client.send(.get(url)) } }
      }
    }
    return (memory, { await client.shutdown() })
  }

  private func libcurl() async throws -> Double? {
    guard let loop = curl_loop_create(Int32(count)) else { return nil }
    defer { curl_loop_destroy(loop) }
    if let authorities { curl_loop_trust(loop, authorities) }
    guard curl_loop_run(loop, url, 1).completed == 1 else { throw Failed() }
    return try await memory {
      guard curl_loop_run(loop, url, count).completed == count else { throw Failed() }
    }
  }

  /// Returns what the process holds more after this than before, for each connection.
  private nonisolated(nonsending) func memory(_ work: () async throws -> Void) async throws -> Double? {
    allocator_trim()
    let before = ProcessUsage.memory
    try await work()
    allocator_trim()
    return before.flatMap { before in
      ProcessUsage.memory.map { Double($0 - before) / Double(count) }
    }
  }

  /// Returns how often a thread of the process was woken or interrupted in 5 seconds in which it does nothing.
  private func wakeUps() -> Int {
    let before = ProcessUsage.contextSwitches
    sleep(5)
    return ProcessUsage.contextSwitches - before
  }

  private struct Failed: Error, CustomStringConvertible {
    var description: String { "a request of the libcurl loop failed" }
  }
}
