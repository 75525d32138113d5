import BenchmarkSupport
import CAllocator
import CurlLoop
import ErrandCore
import ErrandCurl
import ErrandStreaming
import Foundation

/// Measures the cost of idle connections: their memory, compared with a plain libcurl loop, and the wake-ups of
/// the transport's thread. With --events, measures the memory of open event streams instead.
@main
struct Connections {
  private let count: Int
  private let url: String
  private let authorities: String?

  static func main() async {
    do {
      let arguments = try Arguments(["url", "ca", "count", "events"])
      if let url = arguments["events"] {
        let count = try arguments.number("count", default: 10_000)
        ProcessUsage.allowFiles(count + 256)
        return try await Connections(count: count, url: url, authorities: nil).reportEvents()
      }
      let count = try arguments.number("count", default: 200)
      ProcessUsage.allowFiles(count * 4 + 256)
      try await Connections(count: count, url: try arguments.need("url"), authorities: arguments["ca"])
        .report()
    } catch {
      FileHandle.standardError.write(Data("connections: \(error)\n".utf8))
      exit(1)
    }
  }

  private func report() async throws {
    print("\(count) idle connections")
    let client = try await errand()
    row("bytes per connection, Errand", client.memory)
    row("wake-ups of its thread in 5 s", wakeUps(), "(at most 0)")
    await client.end()
    row("bytes per connection, libcurl", try await libcurl())
  }

  /// Opens event streams whose first event has come, and which wait for the next.
  private func reportEvents() async throws {
    var configuration = CurlConfiguration()
    configuration.maxConnectionsPerHost = count
    let client = Client(transport: CurlTransport(configuration: configuration))
    client.limits = .unlimited
    allocator_trim()
    let before = ProcessUsage.memory ?? 0
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    var streams: [Task<Void, any Error>] = []
    var events = opened.makeAsyncIterator()
    // At most 100 connect at once, as a program would do with so many.
    for number in 0..<count {
      if number >= 100 { await events.next() }
      streams.append(Task { [url] in for try await _ in client.events(.get(url)) { open.yield() } })
    }
    for _ in 0..<min(count, 100) { await events.next() }
    allocator_trim()
    let memory = Double((ProcessUsage.memory ?? 0) - before)
    print("\(count) event streams")
    row("megabytes", memory / 1e6, "(at most 400 for 10,000)")
    row("bytes per stream", memory / Double(count))
    for stream in streams { stream.cancel() }
    await client.shutdown()
  }

  private func row(_ name: String, _ figure: Double?, _ bar: String = "") {
    print("  \(name.left(32))\((figure.map { $0.fixed(0) } ?? "-").right(9))  \(bar)")
  }

  /// - Returns: The memory of each connection, and a closure that closes all connections.
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
    var loops: [OpaquePointer] = []
    defer { for loop in loops { curl_loop_destroy(loop) } }
    func perform(_ requests: Int) throws {
      guard let loop = curl_loop_create(Int32(requests)) else { return }
      loops.append(loop)
      if let authorities { curl_loop_trust(loop, authorities) }
      guard curl_loop_run(loop, url, requests).completed == requests else { throw Failed() }
    }
    try perform(1)
    return try await memory { try perform(count) }
  }

  /// Returns the growth of the process's memory during the work, per connection.
  private nonisolated(nonsending) func memory(_ work: () async throws -> Void) async throws -> Double? {
    allocator_trim()
    let before = ProcessUsage.memory
    try await work()
    allocator_trim()
    return before.flatMap { before in
      ProcessUsage.memory.map { Double($0 - before) / Double(count) }
    }
  }

  /// Returns the context switches of the transport's thread in 5 seconds, beginning 2 seconds after the last
  /// response; nil on systems without `/proc`.
  ///
  /// The threads of Swift's tasks do not count. On Linux, one of them wakes up each second in every program
  /// that has run a task.
  private func wakeUps() -> Double? {
    sleep(2)
    guard let before = switches() else { return nil }
    sleep(5)
    return switches().map { Double($0 - before) }
  }

  private func switches() -> Int? {
    let tasks = "/proc/self/task"
    var sum: Int?
    for thread in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
      guard let status = try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8) else {
        continue
      }
      let lines = status.split(separator: "\n")
      guard lines.first?.hasSuffix("errand.curl") == true else { continue }
      for line in lines where line.contains("ctxt_switches:") {
        sum = (sum ?? 0) + (Int(line.split(separator: "\t").last ?? "") ?? 0)
      }
    }
    return sum
  }

  private struct Failed: Error, CustomStringConvertible {
    var description: String { "a request of the libcurl loop failed" }
  }
}
