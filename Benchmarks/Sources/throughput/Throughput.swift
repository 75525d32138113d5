import BenchmarkSupport
import Foundation

/// Measures the requests per second of Errand, a plain libcurl loop and URLSession, in alternate rounds.
@main
struct Throughput {
  static func main() async throws {
    do {
      let arguments = try Arguments(
        ["url", "requests", "concurrency", "client", "rounds", "ca", "upload", "aim", "policies", "threads"],
        flags: ["json", "stream"])
      let report = try await measure(arguments)
      if arguments.has("json") {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(report), as: UTF8.self))
      } else {
        print(report.text)
      }
    } catch {
      FileHandle.standardError.write(Data("throughput: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func measure(_ arguments: Arguments) async throws -> Report {
    let url = try arguments.need("url")
    let concurrency = try arguments.number("concurrency", default: 64)
    var work = Work(url: url, concurrency: concurrency)
    work.authorities = arguments["ca"]
    if arguments["upload"] != nil { work.upload = try arguments.number("upload", default: 1) }
    if arguments["threads"] != nil { work.threads = try arguments.number("threads", default: 1) }
    work.streams = arguments.has("stream")
    if let name = arguments["policies"] {
      guard let policies = Policies(rawValue: name) else {
        let known = Policies.allCases.map(\.rawValue).joined(separator: ", ")
        throw Arguments.Wrong(description: "--policies takes one of \(known)")
      }
      work.policies = policies
    }
    var report = Report(
      aim: arguments["aim"], url: url, requests: try arguments.number("requests", default: 20_000),
      concurrency: concurrency,
      rounds: try arguments.number("rounds", default: 5))
    var kinds = ClientKind.usual
    if let name = arguments["client"] {
      guard let kind = ClientKind(rawValue: name) else {
        let known = ClientKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw Arguments.Wrong(description: "--client takes one of \(known)")
      }
      kinds = [kind]
    }
    // URLSession is compared only in the default case.
    if work.authorities != nil || work.upload > 0 || work.streams || work.policies != .none {
      kinds.removeAll { $0 == .urlsession }
    }
    ProcessUsage.allowFiles(4096)
    var loads: [(ClientKind, any Load)] = []
    for kind in kinds {
      let load = try kind.load(work)
      // This opens connections and warms up caches.
      try await load.run(min(concurrency * 4, kind.requests(of: report.requests, concurrency: concurrency)))
      loads.append((kind, load))
    }
    for _ in 0..<report.rounds {
      for (kind, load) in loads {
        let requests = kind.requests(of: report.requests, concurrency: concurrency)
        let (cpu, waits) = (ProcessUsage.cpuSeconds, ProcessUsage.waits)
        let begin = ContinuousClock.now
        try await load.run(requests)
        let seconds = (ContinuousClock.now - begin).inSeconds
        var figures = report.clients[kind.rawValue] ?? Report.Figures()
        figures.rates.append(Double(requests) / seconds)
        figures.cpuSeconds.append((ProcessUsage.cpuSeconds - cpu) / Double(requests) * 10_000)
        figures.waits.append(Double(ProcessUsage.waits - waits) / Double(requests))
        report.clients[kind.rawValue] = figures
      }
    }
    for (_, load) in loads { await load.end() }
    report.compare("errand", with: "libcurl")
    report.compare("errand-executor", with: "libcurl")
    report.compare("errand", with: "libcurl-sockets")
    report.compare("errand", with: "urlsession")
    return report
  }
}
