import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite(.timeLimit(.minutes(2))) struct CacheCrashTests {
  private let folder: CacheTestFolder
  private let log = ProblemLog()

  init() throws { folder = try CacheTestFolder() }

  /// Returns the number of the written response, and checks that its body is complete.
  private func number(of response: CachedResponse, under name: String) throws -> Int {
    let number = try #require(response.fields["Number"].flatMap { Int($0) })
    #expect(response.repeats("\(name) \(number)\n"))
    return number
  }

  @Test func `a process that is killed at any instant leaves every cached response complete, old or new`()
    async throws
  {
    var random = SeededRandom(seed: UInt64.random(in: 0...(.max)))
    // The number of the last response that was certainly cached, by name.
    var kept: [String: Int] = [:]
    var next = 0
    for _ in 0..<30 {
      let writer = try CacheWriterProcess(folder: folder.responses, limit: 50_000_000, firstNumber: next)
      var last = next - 1
      var said = await writer.lines(Int.random(in: 0...30, using: &random))
      // The random sleep makes the instant of the kill random.
      usleep(UInt32.random(in: 0...3000, using: &random))
      said += await writer.kill()
      for line in said {
        let words = line.split(separator: " ")
        try #require(words.count == 3 && words[0] == "key", "it printed \(line)")
        last = Int(words[2]) ?? -1
        kept["key \(words[1])"] = last
      }
      // The process may have cached one more response than it could report.
      next = last + 2
      let left = folder.names.filter { !CacheFileName.isResponse($0) }
      #expect(left.count <= 1 && left.allSatisfy(CacheFileName.isPart))
      let store = DiskResponseCache(folder: folder.responses, limit: 50_000_000, onProblem: log.add)
      for name in (0..<5).map({ "key \($0)" }) {
        let response = try await store.read(CacheKey(name))
        let found = try response.map { try number(of: $0, under: name) } ?? -1
        #expect(found >= kept[name] ?? -1)
        #expect(found < next)
      }
      try await store.write(.sample("mine"), under: CacheKey("mine"))
      await store.endScan()
      #expect(folder.names.allSatisfy(CacheFileName.isResponse))
    }
    #expect(log.problems.isEmpty)
    #expect(next > 30)
  }

  @Test func `two processes can write to one folder concurrently, and every read is complete`() async throws {
    let limit = 60_000
    let writers = try (0..<2).map { _ in
      try CacheWriterProcess(folder: folder.responses, limit: limit, firstNumber: 0)
    }
    let store = DiskResponseCache(folder: folder.responses, limit: limit, onProblem: log.add)
    var random = SeededRandom(seed: 11)
    var found = 0
    for _ in 0..<300 {
      let name = "key \(Int.random(in: 0..<5, using: &random))"
      switch Int.random(in: 0..<12, using: &random) {
      case 0: try await store.remove(CacheKey(name))
      case 1: for entry in try await store.list() { #expect(entry.size <= limit) }
      case 2:
        for writer in writers { #expect(await writer.lines(1).allSatisfy { $0.hasPrefix("key ") }) }
      case 3 where Int.random(in: 0..<8, using: &random) == 0: try await store.clear()
      default:
        guard let response = try await store.read(CacheKey(name)) else { continue }
        _ = try number(of: response, under: name)
        found += 1
      }
    }
    #expect(found > 10)
    for writer in writers {
      for line in await writer.kill() { #expect(line.hasPrefix("key ")) }
    }
    try await store.write(.sample("mine"), under: CacheKey("mine"))
    await store.endScan()
    #expect(folder.names.allSatisfy(CacheFileName.isResponse))
    #expect(try await store.list().reduce(0) { $0 + $1.size } <= limit)
    #expect(log.problems.isEmpty)
  }
}
