import BenchmarkSupport
import CurlLoop
import ErrandCore
import ErrandCurl
import Foundation

/// Measures compressed responses: the rate compared with libcurl's decoding, and the memory for writing a gzip
/// bomb to a file.
@main
struct Decoding {
  static func main() async {
    do {
      let arguments = try Arguments(["size", "rounds", "child", "file"])
      if let url = arguments["child"] {
        let client = Client(transport: CurlTransport())
        _ = try await client.download(.get(url), to: URL(filePath: try arguments.need("file")))
        print(ProcessUsage.peakMemory)
        return
      }
      let server = try GzipServer(textSize: try arguments.number("size", default: 1 << 30))
      server.start()
      let rounds = try arguments.number("rounds", default: 5)
      try await rate(server, rounds)
      try memory(server, rounds)
    } catch {
      FileHandle.standardError.write(Data("decoding: \(error)\n".utf8))
      exit(1)
    }
  }

  /// Measures the rates in turns, in one process. Both clients count the bytes and discard them.
  private static func rate(_ server: GzipServer, _ rounds: Int) async throws {
    let client = Client(transport: CurlTransport())
    guard let loop = curl_loop_create(1) else { throw Arguments.Wrong(description: "not enough memory") }
    defer { curl_loop_destroy(loop) }
    curl_loop_decode(loop)
    let url = server.url("text")
    var times: (errand: [Double], libcurl: [Double]) = ([], [])
    // The first round warms up both clients.
    for round in 0...rounds {
      var begin = ContinuousClock.now
      let result = curl_loop_run(loop, url, 1)
      let libcurl = (ContinuousClock.now - begin).inSeconds
      begin = .now
      var count = 0
      for try await chunk in try await client.stream(.get(url)).chunks { count += chunk.count }
      let errand = (ContinuousClock.now - begin).inSeconds
      guard count == server.textSize, result.bytes == Int64(count) else {
        throw Arguments.Wrong(
          description: "received \(count) and \(result.bytes) bytes instead of \(server.textSize)")
      }
      guard round > 0 else { continue }
      times.errand.append(errand)
      times.libcurl.append(libcurl)
    }
    await client.shutdown()
    func rate(_ times: [Double]) -> String {
      (Double(server.textSize) / Statistics.median(times) / 1_048_576).fixed(0).right(12)
    }
    print("\(server.textSize >> 20) MiB of text in gzip, medians of \(rounds) rounds")
    print("  errand            \(rate(times.errand)) MiB/s")
    print("  libcurl           \(rate(times.libcurl)) MiB/s")
    let ratio = Statistics.medianRatio(times.libcurl, times.errand).fixed(2).right(12)
    print("  errand/libcurl    \(ratio)  (at least 0.9)")
  }

  /// Measures each peak of memory in a separate process, because a process keeps freed memory.
  private static func memory(_ server: GzipServer, _ rounds: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "errand-decoding-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (target, note) = (folder.appending(path: "target").path, folder.appending(path: "note").path)
    func peak(_ path: String) throws -> Double {
      var peaks: [Double] = []
      for _ in 0..<min(rounds, 3) {
        try Child.run(
          [CommandLine.arguments[0], "--child", server.url(path), "--file", target], output: note)
        let text = try String(contentsOfFile: note, encoding: .utf8)
        peaks.append((Double(text.filter(\.isNumber)) ?? .nan) / 1_048_576)
        try FileManager.default.removeItem(atPath: target)
      }
      return Statistics.median(peaks)
    }
    let (plain, bomb) = (try peak("plain"), try peak("bomb"))
    print("to a file, peak memory")
    print("  50 MB, plain      \(plain.fixed(1).right(12)) MiB")
    print("  200 MiB of gzip   \(bomb.fixed(1).right(12)) MiB, out of \(server.bombSize >> 10) KiB")
    print("  the difference    \((bomb - plain).fixed(1).right(12)) MiB  (at most 24)")
  }
}
