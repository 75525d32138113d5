import BenchmarkSupport
import ErrandCore
import ErrandCurl
import ErrandInspector
import ErrandObservability
import Foundation

/// Measures the cost of watching calls with listeners, a log to a file, recordings or an inspector. The
/// transport responds at once; the log is also measured with a real server.
@main
struct Watching {
  /// A transport that responds at once with the same small body.
  private struct InstantTransport: Transport {
    private let head = ResponseHead(
      status: 200, fields: ["Content-Type": "text/plain", "Content-Length": "100"])
    private let body = Data(repeating: UInt8(ascii: "e"), count: 100)

    func perform(_ exchange: Exchange) async throws -> TransferResult {
      _ = try exchange.sink(for: head).write(body)
      return TransferResult(head: head, metrics: TransferMetrics())
    }

    func shutdown() async {}
  }

  private struct Ignoring: EventListener {
    func record(_ event: CallEvent) {}
  }

  private static let small = Request.get("http://127.0.0.1/small")

  static func main() async throws {
    let arguments = try Arguments(["what", "rounds", "calls", "url", "rate", "seconds"])
    let rounds = try arguments.number("rounds", default: 5)
    let calls = try arguments.number("calls", default: 100_000)
    let folder = FileManager.default.temporaryDirectory.appending(path: "watching-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    switch try arguments.need("what") {
    case "listener": try await compare("a listener that ignores everything", [Ignoring()], rounds, most: 300)
    case "metrics":
      try await compare("metrics", [], rounds, most: nil) { $0.collectsMetrics = true }
    case "log": try await log(to: folder.appending(path: "log"), rounds, url: arguments["url"])
    case "har":
      let recorder = try HARRecorder(file: folder.appending(path: "calls.har"))
      var configuration = ClientConfiguration()
      configuration.listeners = [recorder]
      let client = Client(transport: InstantTransport(), configuration: configuration)
      try await hold("a HAR file", client, calls, mostMemory: 20 << 20)
    case "inspector":
      let client = Client(transport: InstantTransport())
      let inspector = Inspector(client)
      defer { inspector.stop() }
      let calls = try arguments.number("calls", default: 1_000_000)
      try await hold("an inspector", client, calls, mostTime: 8000, mostMemory: Inspector.Limits().bodies)
    case "otlp":
      try await export(
        rate: try arguments.number("rate", default: 4000),
        seconds: try arguments.number("seconds", default: 60))
    default: throw Arguments.Wrong(description: "--what takes listener, metrics, log, har, inspector or otlp")
    }
  }

  /// Prints the time that listeners add to a request, compared with a client without listeners in alternate
  /// rounds.
  private static func compare(
    _ name: String, _ listeners: [any EventListener], _ rounds: Int, most: Double?,
    _ change: (inout ClientConfiguration) -> Void = { _ in }
  ) async throws {
    var configuration = ClientConfiguration()
    configuration.listeners = listeners
    change(&configuration)
    let watched = Client(transport: InstantTransport(), configuration: configuration)
    let plain = Client(transport: InstantTransport())
    var times = (plain: [Double](), watched: [Double]())
    for _ in 0..<rounds * 20 {
      times.plain.append(try await time(plain, 1, 1000))
      times.watched.append(try await time(watched, 1, 1000))
    }
    let added = (times.watched.min() ?? .nan) - (times.plain.min() ?? .nan)
    let plainTime = ((times.plain.min() ?? .nan) / 1000).fixed(1)
    let aim = most.map { " (at most \($0.fixed(0)))" } ?? ""
    print("\(name) adds \(added.fixed(0)) ns\(aim) to a request of \(plainTime) µs")
  }

  /// Prints the throughput with a log in proportion to that without one, with 64 requests in flight.
  /// - Parameter url: The URL of a server; nil for a transport that responds at once.
  private static func log(to file: URL, _ rounds: Int, url: String?) async throws {
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    let handle = try FileHandle(forWritingTo: file)
    var configuration = ClientConfiguration()
    configuration.limits = .unlimited
    let transport: any Transport = url == nil ? InstantTransport() : CurlTransport()
    let plain = Client(transport: transport, configuration: configuration)
    configuration.listeners = [.log(level: .info) { line in handle.write(Data("\(line)\n".utf8)) }]
    let logged = Client(transport: transport, configuration: configuration)
    let request = url.map { Request.get($0) } ?? small
    var times = (plain: [Double](), logged: [Double]())
    for _ in 0..<rounds {
      times.plain.append(try await time(plain, 64, 500, request))
      times.logged.append(try await time(logged, 64, 500, request))
    }
    let ratio = (times.plain.min() ?? .nan) / (times.logged.min() ?? .nan)
    let aim = url == nil ? "no network" : "at least 0.8"
    print("a log at info to a file, 64 in flight: \(ratio.fixed(2)) of the throughput without it (\(aim))")
  }

  /// Prints the memory and the time that watching adds with many calls.
  private static func hold(
    _ name: String, _ watched: Client, _ calls: Int, mostTime: Double? = nil, mostMemory: Int
  ) async throws {
    let plain = Client(transport: InstantTransport())
    let each = try await time(plain, 1, 20_000)
    let before = ProcessUsage.peakMemory
    let added = try await time(watched, 1, calls) - each
    let memory = Double(ProcessUsage.peakMemory - before) / Double(1 << 20)
    let aim = mostTime.map { " (at most \(($0 / 1000).fixed(0)))" } ?? ""
    print(
      "\(name), \(calls) calls: \((added / 1000).fixed(1)) µs per call\(aim), \(memory.fixed(1)) MiB "
        + "(at most \(mostMemory >> 20))")
  }

  /// Prints the spans that are lost when calls at a given rate are traced to a collector.
  private static func export(rate: Int, seconds: Int) async throws {
    let collector = try Collector()
    let exporter = OTLPExporter(
      to: collector.url, through: Client(transport: CurlTransport()), service: "bench")
    var configuration = ClientConfiguration()
    configuration.tracing = Tracing(exporter, meter: exporter)
    let client = Client(transport: InstantTransport(), configuration: configuration)
    let before = ProcessUsage.cpuSeconds
    let (begin, calls) = (ContinuousClock.now, rate * seconds)
    var sent = 0
    while sent < calls {
      let due = min(calls, Int((ContinuousClock.now - begin).inSeconds * Double(rate)))
      while sent < due {
        try await client.send(small)
        sent += 1
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    let took = (ContinuousClock.now - begin).inSeconds
    let flushing = ContinuousClock.now
    let isDone = await exporter.flush()
    let flush = (ContinuousClock.now - flushing).inSeconds
    let received = collector.received
    let cpu = ProcessUsage.cpuSeconds - before
    print(
      "traced to a collector, \(calls) calls in \(took.fixed(1)) s: \(calls * 2 - received.spans) of \(calls * 2) "
        + "spans lost (none), \(exporter.dropped) counted, \(received.requests) requests, "
        + "flush \(flush.fixed(2)) s\(isDone ? "" : ", not done"), CPU \(cpu.fixed(1)) s with the collector, "
        + "peak memory \(ProcessUsage.peakMemory >> 20) MiB")
  }

  /// Returns the time per request in nanoseconds.
  private static func time(
    _ client: Client, _ tasks: Int, _ requests: Int, _ request: Request = small
  ) async throws -> Double {
    let begin = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for _ in 0..<tasks {
        group.addTask { for _ in 0..<requests { try await client.send(request) } }
      }
      try await group.waitForAll()
    }
    return (ContinuousClock.now - begin).inSeconds * 1e9 / Double(requests * tasks)
  }
}
