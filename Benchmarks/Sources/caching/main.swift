// Measures the HTTP cache: a hit in memory beside a plain request, hits from disk, misses beside requests without a
// cache, and a streamed body that is stored. All rounds take turns, over a transport that responds at once.
import BenchmarkSupport
import ErrandCore
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

let arguments = try Arguments(["rounds", "only"])
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
  try await measure("uncached") { try await time(plainMiss, one, tasks: 1, each: 20_000) }
  try await measure("miss") { try await time(missing, one, tasks: 1, each: 20_000) }
  try await measure("stream") { try await streamed(plainFilm, "http://a.test/film") }
  let place = folder.appending(path: "film\(round)")
  let storing = client(.http(DiskResponseCache(folder: place, limit: 1 << 30)), film)
  try await measure("stored stream") { try await streamed(storing, "http://a.test/film") }
  try await measure("cached stream") { try await streamed(storing, "http://a.test/film") }
  try? FileManager.default.removeItem(at: place)
}
@MainActor func median(_ name: String) -> Double { Statistics.median(times[name] ?? [1]) }
print(
  """
  The HTTP cache over a transport that responds at once, medians of \(rounds) rounds
    plain request            \(median("plain").fixed(2).right(10)) µs
    hit in memory            \(median("hit").fixed(2).right(10)) µs, \((median("hit") - median("plain")).fixed(2)) more  (at most 2 more)
    hit on disk, 10 KB       \((1e6 / median("disk")).fixed(0).right(10)) a second, 8 at once  (at least 20,000)
    miss                     \(median("miss").fixed(2).right(10)) µs, \((median("miss") / median("uncached")).fixed(2)) of a request without a cache  (at most 1.05)
    stream, 256 MB           \(median("stream").fixed(0).right(10)) MB/s
    stream that is stored    \(median("stored stream").fixed(0).right(10)) MB/s, \((median("stored stream") / median("stream")).fixed(2)) of it  (at least 0.9)
    stream from the cache    \(median("cached stream").fixed(0).right(10)) MB/s
  """)
