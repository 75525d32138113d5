// Measures the HTTP cache: a hit in memory beside a plain request, hits from disk, misses beside requests without a
// cache, and a streamed body that is stored. All rounds take turns, over a transport that responds at once. Hits of
// URLSession's URLCache are measured in the same rounds. With --url, misses and stored streams are also measured over
// sockets.
import BenchmarkSupport
import ErrandCore
import ErrandCurl
import Foundation

/// Responds at once with a body in pieces, of which one is reused.
struct ReadyTransport: Transport {
  private let head: ResponseHead
  private let piece: Data
  private let count: Int

  init(_ cacheControl: String, piece: Int, count: Int = 1) {
    head = ResponseHead(
      status: 200,
      fields: [
        "Content-Type": "text/plain", "Content-Length": "\(piece * count)", "Cache-Control": cacheControl,
        "ETag": "\"1\"", "Date": "Thu, 26 Nov 2026 12:00:00 GMT", "Server": "nginx",
      ])
    self.piece = Data(repeating: UInt8(ascii: "e"), count: piece)
    self.count = count
  }

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    let sink = try exchange.sink(for: head)
    let (drained, drain) = AsyncStream.makeStream(of: Void.self)
    sink.onDrain { drain.yield() }
    var drains = drained.makeAsyncIterator()
    for _ in 0..<count where try sink.write(piece) == .wait { _ = await drains.next() }
    return TransferResult(head: head, metrics: TransferMetrics())
  }

  func shutdown() async {}
}

func client(_ cache: (any ResponseCache)?, _ transport: ReadyTransport) -> Client {
  var configuration = ClientConfiguration()
  if let cache { configuration.cache = cache }
  configuration.limits = .unlimited
  // The responses' Date is now.
  let date = Date(timeIntervalSince1970: 1_795_694_400)
  configuration.date = { date }
  return Client(transport: transport, configuration: configuration)
}

/// Returns the microseconds of one request, with `tasks` at once.
func time(_ client: Client, _ requests: [Request], tasks: Int, each: Int) async throws -> Double {
  let start = ContinuousClock.now
  try await withThrowingTaskGroup(of: Void.self) { group in
    for task in 0..<tasks {
      group.addTask {
        for number in 0..<each { try await client.send(requests[(task * each + number) % requests.count]) }
      }
    }
    try await group.waitForAll()
  }
  return (ContinuousClock.now - start) / .microseconds(1) / Double(tasks * each)
}

func streamed(_ client: Client, _ url: String) async throws -> Double {
  let start = ContinuousClock.now
  let response = try await client.stream(.get(url))
  var count = 0
  for try await chunk in response.chunks { count += chunk.count }
  return Double(count) / 1e6 / ((ContinuousClock.now - start) / .seconds(1))
}

let arguments = try Arguments(["rounds", "only", "url"])
let rounds = try arguments.number("rounds", default: 5)
let folder = URL(filePath: FileManager.default.temporaryDirectory.path).appending(
  path: "errand-caching-\(UUID())")
defer { try? FileManager.default.removeItem(at: folder) }

let small = ReadyTransport("max-age=600", piece: 100)
let one = [Request.get("http://a.test/one")]
let plain = client(nil, small)
let inMemory = client(.http(), small)
_ = try await time(inMemory, one, tasks: 1, each: 1)

let large = ReadyTransport("max-age=600", piece: 10_000)
let many = (0..<1000).map { Request.get("http://a.test/\($0)") }
let onDisk = client(.http(DiskResponseCache(folder: folder.appending(path: "hits"), limit: 1 << 30)), large)
_ = try await time(onDisk, many, tasks: 1, each: many.count)

let uncacheable = ReadyTransport("no-store", piece: 100)
let plainMiss = client(nil, uncacheable)
let missing = client(.http(), uncacheable)

let film = ReadyTransport("max-age=600", piece: 1 << 16, count: 4096)
let plainFilm = client(nil, film)

// Storing more takes URLCache minutes on Linux.
let wantsSession = arguments["only"].map { $0.hasPrefix("session") } ?? true
let sessionInMemory = wantsSession ? SessionCache(in: nil, count: 1, length: 100) : nil
let sessionOnDisk =
  wantsSession ? SessionCache(in: folder.appending(path: "session"), count: 200, length: 10_000) : nil

/// Clients with and without a cache, of a server that sends `/no-store`, which must not be stored, and `/large`.
struct ServerLoad {
  let url: String
  let plain: Client
  let caching: Client
  var small: String { url + "/no-store" }
  var file: String { url + "/large" }

  init(_ url: String, _ store: any ResponseCache = MemoryResponseCache()) {
    self.url = url
    func client(_ cache: (any ResponseCache)?) -> Client {
      var configuration = ClientConfiguration()
      if let cache { configuration.cache = cache }
      return Client(transport: CurlTransport(), configuration: configuration)
    }
    plain = client(nil)
    caching = client(.http(store))
  }
}
let server = arguments["url"].map { ServerLoad($0) }

var times: [String: [Double]] = [:]
/// Measures one load in each round, unless another one is wanted.
@MainActor func measure(_ name: String, _ work: () async throws -> Double) async rethrows {
  if let only = arguments["only"], only != name { return }
  times[name, default: []].append(try await work())
}

for round in 0..<rounds {
  try await measure("plain") { try await time(plain, one, tasks: 1, each: 20_000) }
  try await measure("hit") { try await time(inMemory, one, tasks: 1, each: 20_000) }
  try await measure("disk") { try await time(onDisk, many, tasks: 8, each: 2500) }
  if let sessionInMemory, let sessionOnDisk {
    try await measure("session hit") { try await sessionInMemory.time(tasks: 1, each: 2000) }
    try await measure("session disk") { try await sessionOnDisk.time(tasks: 8, each: 100) }
  }
  if let server {
    for (load, client) in [("small", server.plain), ("small miss", server.caching)] {
      try await measure(load) { try await time(client, [.get(server.small)], tasks: 16, each: 500) }
    }
    try await measure("file") { try await streamed(server.plain, server.file) }
    let target = folder.appending(path: "download")
    try await measure("download") {
      let start = ContinuousClock.now
      let response = try await server.plain.download(.get(server.file), to: target)
      return Double(response.timing.bytesReceived) / 1e6 / ((ContinuousClock.now - start) / .seconds(1))
    }
    try? FileManager.default.removeItem(at: target)
    let place = folder.appending(path: "file\(round)")
    let storing = ServerLoad(server.url, DiskResponseCache(folder: place, limit: 1 << 30)).caching
    try await measure("stored file") { try await streamed(storing, server.file) }
    try? FileManager.default.removeItem(at: place)
    await storing.shutdown()
  }
  try await measure("uncached") { try await time(plainMiss, one, tasks: 1, each: 20_000) }
  try await measure("miss") { try await time(missing, one, tasks: 1, each: 20_000) }
  try await measure("stream") { try await streamed(plainFilm, "http://a.test/film") }
  let place = folder.appending(path: "film\(round)")
  let storing = client(.http(DiskResponseCache(folder: place, limit: 1 << 30)), film)
  try await measure("stored stream") { try await streamed(storing, "http://a.test/film") }
  try await measure("cached stream") { try await streamed(storing, "http://a.test/film") }
  try? FileManager.default.removeItem(at: place)
}
@MainActor func median(_ name: String) -> Double? { times[name].map(Statistics.median) }
/// Prints the figure of a load, unless it was not measured.
@MainActor func report(
  _ label: String, _ name: String, beside other: String, _ text: (Double, Double?) -> String
) {
  guard let figure = median(name) else { return }
  print("  \(label.left(26))\(text(figure, median(other)))")
}
func microseconds(_ time: Double) -> String { "\(time.fixed(2).right(10)) µs" }
func perSecond(_ time: Double) -> String { "\((1e6 / time).fixed(0).right(10)) a second, 8 at once" }
func rate(_ rate: Double) -> String { "\(rate.fixed(0).right(10)) MB/s" }

print("The HTTP cache over a transport that responds at once, medians of \(rounds) rounds")
report("plain request", "plain", beside: "") { time, _ in microseconds(time) }
report("hit in memory", "hit", beside: "plain") { time, plain in
  microseconds(time) + (plain.map { ", \((time - $0).fixed(2)) more  (at most 2 more)" } ?? "")
}
report("URLSession's, in memory", "session hit", beside: "hit") { time, hit in
  microseconds(time) + (hit.map { ", \((time / $0).fixed(1)) times Errand's" } ?? "")
}
report("hit on disk, 10 KB", "disk", beside: "") { time, _ in perSecond(time) + "  (at least 20,000)" }
report("URLSession's, on disk", "session disk", beside: "disk") { time, disk in
  perSecond(time) + (disk.map { ", \(($0 / time).fixed(2)) of Errand's" } ?? "")
}
report("miss", "miss", beside: "uncached") { time, uncached in
  microseconds(time)
    + (uncached.map { ", \((time - $0).fixed(2)) more than without a cache" } ?? "")
}
report("request over sockets", "small", beside: "") { time, _ in microseconds(time) }
report("miss, over sockets", "small miss", beside: "small") { time, uncached in
  microseconds(time)
    + (uncached.map { ", 16 at once, \((time / $0).fixed(2)) of a request without a cache  (at most 1.05)" }
      ?? "")
}
report("stream, 256 MB", "stream", beside: "") { figure, _ in rate(figure) }
report("stream that is stored", "stored stream", beside: "stream") { figure, stream in
  rate(figure) + (stream.map { ", \((figure / $0).fixed(2)) of it" } ?? "")
}
report("stream from the cache", "cached stream", beside: "") { figure, _ in rate(figure) }
report("stream over a socket", "file", beside: "") { figure, _ in rate(figure) }
report("download over a socket", "download", beside: "") { figure, _ in rate(figure) }
report("stream that is stored", "stored file", beside: "download") { figure, download in
  rate(figure) + (download.map { ", \((figure / $0).fixed(2)) of the download  (at least 0.9)" } ?? "")
}
