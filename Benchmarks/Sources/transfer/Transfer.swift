import BenchmarkSupport
import ErrandCore
import ErrandCurl
import ErrandSigning
import Foundation

/// Measures transfers of a large file in both directions: the rate compared with the `curl` command, and the
/// memory.
@main
struct Transfer {
  static func main() async {
    do {
      let arguments = try Arguments(["url-base", "root", "size", "rounds", "curl", "child", "url", "file"])
      if let child = arguments["child"] {
        try await perform(
          child == "upload" ? .upload : .download, url: try arguments.need("url"),
          file: try arguments.need("file"))
        print(ProcessUsage.peakMemory)
      } else {
        try await measure(arguments)
      }
    } catch {
      FileHandle.standardError.write(Data("transfer: \(error)\n".utf8))
      exit(1)
    }
  }

  enum Direction: String {
    case download, upload
  }

  /// Performs one transfer with a new client, as in a program that does nothing else.
  private static func perform(_ direction: Direction, url: String, file: String) async throws {
    let client = Client(transport: CurlTransport())
    switch direction {
    case .download: _ = try await client.download(.get(url), to: URL(filePath: file))
    case .upload: _ = try await client.send(.put(url, .file(URL(filePath: file))))
    }
    await client.shutdown()
  }

  private static func measure(_ arguments: Arguments) async throws {
    let base = try arguments.need("url-base")
    let size = try arguments.number("size", default: 1 << 30)
    let rounds = try arguments.number("rounds", default: 5)
    let files = try Files(besideRoot: try arguments.need("root"), size: size)
    defer { files.remove() }
    let sink = try SinkServer()
    sink.start()
    let curl = arguments["curl"] ?? "curl"
    print("\(size >> 20) MiB to and from files, medians of \(rounds) rounds")
    for direction in [Direction.download, .upload] {
      let large = direction == .download ? "\(base)/\(files.largeName)" : "http://127.0.0.1:\(sink.port)/"
      var times: (errand: [Double], curl: [Double]) = ([], [])
      for _ in 0..<rounds {
        times.errand.append(
          try await timed {
            try await perform(
              direction, url: large, file: direction == .download ? files.target : files.large)
          })
        try files.check(direction, size)
        let command =
          direction == .download
          ? [curl, "-sfo", files.target, large]
          : [curl, "-sfT", files.large, "-H", "Expect:", large]
        times.curl.append(try Child.run(command).inSeconds)
        try files.check(direction, size)
      }
      report(direction, size, times.errand, times.curl)
      try memory(direction, files, base: base, large: large, rounds: rounds)
    }
    try await measureDigest(files.large, size, url: "http://127.0.0.1:\(sink.port)/", rounds: rounds)
  }

  /// Measures an upload with `Content-Digest`. The field precedes the body, so the whole file is hashed before
  /// its first byte is sent. The time of the hash is also measured, because no client can be faster than both
  /// together.
  private static func measureDigest(_ file: String, _ size: Int, url: String, rounds: Int) async throws {
    let request = Request.put(url, .file(URL(filePath: file)))
    let client = Client(transport: CurlTransport())
    var times: (plain: [Double], digest: [Double], hash: [Double]) = ([], [], [])
    for _ in 0..<rounds {
      times.plain.append(try await timed { _ = try await client.send(request) })
      times.digest.append(try await timed { _ = try await client.send(request.withContentDigest(.sha256)) })
      times.hash.append(
        try await timed {
          let content = try Data(contentsOf: URL(filePath: file), options: .alwaysMapped)
          _ = DigestAlgorithm.sha256.digest(of: content)
        })
    }
    await client.shutdown()
    let bound = zip(times.plain, times.hash).map { $0 + $1 }
    print("  upload with a SHA-256 digest, in proportion to the rate without one")
    print(
      "  errand".left(20)
        + "\(Statistics.medianRatio(times.plain, times.digest).fixed(2).right(12))  (at least 0.9)")
    print(
      "  first hash, then send".left(20) + "\(Statistics.medianRatio(times.plain, bound).fixed(2).right(12))")
  }

  private static func timed(_ body: () async throws -> Void) async throws -> Double {
    let begin = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - begin).inSeconds
  }

  private static func report(_ direction: Direction, _ size: Int, _ errand: [Double], _ curl: [Double]) {
    func rate(_ times: [Double]) -> String {
      (Double(size) / Statistics.median(times) / 1_048_576).fixed(0).right(12)
    }
    let name = direction.rawValue
    print("  \(name), errand    ".left(20) + "\(rate(errand)) MiB/s")
    print("  \(name), curl      ".left(20) + "\(rate(curl)) MiB/s")
    let ratio = Statistics.medianRatio(curl, errand).fixed(2).right(12)
    print("  errand/curl".left(20) + "\(ratio)  (at least 0.8; aim 0.95)")
  }

  /// Measures each peak of memory in a separate process, because a process keeps freed memory.
  private static func memory(
    _ direction: Direction, _ files: Files, base: String, large: String, rounds: Int
  ) throws {
    let own = CommandLine.arguments[0]
    func peak(_ url: String, _ file: String) throws -> Double {
      var peaks: [Double] = []
      for _ in 0..<min(rounds, 3) {
        try Child.run(
          [own, "--child", direction.rawValue, "--url", url, "--file", file], output: files.note)
        let text = try String(contentsOfFile: files.note, encoding: .utf8)
        peaks.append((Double(text.filter(\.isNumber)) ?? .nan) / 1_048_576)
      }
      return Statistics.median(peaks)
    }
    let isDownload = direction == .download
    let most = try peak(large, isDownload ? files.target : files.large)
    let least = try peak(
      isDownload ? "\(base)/\(files.smallName)" : large, isDownload ? files.target : files.small)
    print("  peak memory".left(20) + "\(most.fixed(1).right(12)) MiB; for 1 KiB \(least.fixed(1)) MiB")
    print("  the difference".left(20) + "\((most - least).fixed(1).right(12)) MiB  (at most 16)")
  }
}
