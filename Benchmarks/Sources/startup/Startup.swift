import BenchmarkSupport
import Foundation

/// Measures `errand get URL` from start to end, compared with `curl URL` in alternate runs.
@main
struct Startup {
  static func main() {
    do {
      try measure()
    } catch {
      FileHandle.standardError.write(Data("startup: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func measure() throws {
    let arguments = try Arguments(["url", "errand", "curl", "runs"])
    let url = try arguments.need("url")
    let errand = [arguments["errand"] ?? "errand", "get", url]
    let curl = [arguments["curl"] ?? "curl", "-s", url]
    let runs = try arguments.number("runs", default: 100)
    // The first run of each program fills the system's caches.
    try Child.run(errand)
    try Child.run(curl)
    var times: (errand: [Double], curl: [Double]) = ([], [])
    for _ in 0..<runs {
      times.errand.append(try Child.run(errand).inSeconds * 1000)
      times.curl.append(try Child.run(curl).inSeconds * 1000)
    }
    let (ours, reference) = (Statistics.median(times.errand), Statistics.median(times.curl))
    print("from start to end, one request, medians of \(runs) runs")
    print("  errand get        \(ours.fixed(1).right(12)) ms")
    print("  curl              \(reference.fixed(1).right(12)) ms")
    print("  errand/curl       \((ours / reference).fixed(2).right(12))  (at most 3)")
  }
}
