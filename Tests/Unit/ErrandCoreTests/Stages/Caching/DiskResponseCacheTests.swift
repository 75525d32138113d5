import ErrandCrypto
import ErrandTesting
import Foundation
import Synchronization
import Testing

@testable import ErrandCore

@Suite struct DiskResponseCacheTests {
  private let folder: CacheTestFolder
  private let log = ProblemLog()

  init() throws { folder = try CacheTestFolder() }

  private func store(limit: Int = 1_000_000) -> DiskResponseCache {
    DiskResponseCache(folder: folder.responses, limit: limit, onProblem: log.add)
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test func `a cached response outlives its cache object`() async throws {
    let key = try await store().key("a", fields: ["Cookie": "b"])
    try await store().write(.sample("kept"), under: key)
    let again = store()
    #expect(try await again.key("a", fields: ["Cookie": "b"]) == key)
    #expect(try await again.read(key) == .sample("kept"))
    #expect(try await again.list().map(\.key) == [key])
  }

  @Test func `reading a missing folder finds nothing and does not create it`() async throws {
    #expect(try await store().read(CacheKey("a")) == nil)
    #expect(try await store().list().isEmpty)
    try await store().remove(CacheKey("a"))
    try await store().clear()
    #expect(!FileManager.default.fileExists(atPath: folder.responses.path))
    #expect(log.problems.isEmpty)
  }

  @Test func `the cache creates its folder with its parents, readable by no other user`() async throws {
    let deep = folder.url.appending(path: "a/b/responses")
    let store = DiskResponseCache(folder: deep, limit: 1000)
    try await store.write(.sample("a"), under: CacheKey("a"))
    _ = try await store.salt()
    #expect(try mode(deep.path) == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: deep.path)
    #expect(names.count == 2)
    for name in names { #expect(try mode(deep.appending(path: name).path) == 0o600) }
  }

  @Test func `the cache writes no credential to a file or its name`() async throws {
    let store = store()
    let secret = "s3cr3t-credential"
    let url = try #require(URL(string: "https://me:\(secret)@example.com/?token=\(secret)"))
    let key = try await store.key(
      "a", fields: ["Authorization": "Bearer \(secret)"], url: url, user: "\(secret)")
    let response = CachedResponse(
      status: 200, fields: ["Set-Cookie": secret, "ETag": "1"], data: Data("body".utf8), url: url,
      date: Date())
    try await store.write(response, under: key)
    #expect(try await store.read(key) == response)
    for name in folder.names {
      let bytes = try Data(contentsOf: URL(filePath: folder.path(name)))
      #expect(bytes.firstRange(of: Data(secret.utf8)) == nil)
      let plain = SHA256Digest(hashing: Data("Bearer \(secret)".utf8))
      #expect(bytes.firstRange(of: Data(plain.bytes)) == nil)
    }
  }

  @Test func `the cache loses only its content when its folder is removed`() async throws {
    let store = store()
    try await store.write(.sample("a"), under: CacheKey("a"))
    try FileManager.default.removeItem(at: folder.responses)
    #expect(try await store.read(CacheKey("a")) == nil)
    try await store.write(.sample("b"), under: CacheKey("a"))
    #expect(try await store.read(CacheKey("a")) == .sample("b"))
    #expect(log.problems.isEmpty)
  }

  @Test func `the cache leaves foreign files alone`() async throws {
    let store = store(limit: 2000)
    try await store.write(.sample("a"), under: CacheKey("a"))
    let names = ["notes.txt", "x.response", ".hidden", "a.1.part"]
    for name in names { try Data(count: 5000).write(to: URL(filePath: folder.path(name))) }
    for number in 0..<20 { try await store.write(.sample(size: 500), under: CacheKey("\(number)")) }
    try await store.clear()
    #expect(folder.names == names.sorted())
  }

  @Test
  func `the first write removes the files of an earlier version, and no files that only look like them`()
    async throws
  {
    let digest = String(repeating: "0a", count: 32)
    let foreign = ["\(digest).answers", "0\(digest).answer", "A\(digest.dropFirst()).answer"]
    let names = ["\(digest).answer", "\(digest).answer.7.part"] + foreign
    try FileManager.default.createDirectory(at: folder.responses, withIntermediateDirectories: true)
    for name in names { try Data("ERRANDKA".utf8).write(to: URL(filePath: folder.path(name))) }
    let store = store()
    #expect(try await store.list().isEmpty)
    try await store.write(.sample("a"), under: CacheKey("a"))
    await store.endScan()
    let name = CacheFileName.of(CacheKey("a"))
    #expect(folder.names == (foreign + [name]).sorted())
    #expect(name.hasSuffix(".response"))
    #expect(log.problems.isEmpty)
  }

  @Test func `a read updates the file's date, but not every time`() async throws {
    let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    let date: @Sendable () -> Date = { now.withLock { $0 } }
    let store = DiskResponseCache(folder: folder.responses, limit: 10_000, date: date, onProblem: log.add)
    func stamp() throws -> TimeInterval {
      let path = try #require(folder.onlyResponse)
      return try #require(FileDescriptor.status(of: path)).modified.timeIntervalSince1970
    }
    try await store.write(.sample("a"), under: CacheKey("a"))
    // A response that was never read looks as if it was used an hour ago.
    #expect(try stamp() == 1_800_000_000 - 3600)
    let expected: [(TimeInterval, TimeInterval)] = [
      (0, 0), (59, 0), (60, 60), (100, 60), (121, 121), (50, 50),
    ]
    for (seconds, dated) in expected {
      now.withLock { $0 = Date(timeIntervalSince1970: 1_800_000_000 + seconds) }
      #expect(try await store.read(CacheKey("a")) != nil)
      #expect(try stamp() == 1_800_000_000 + dated)
    }
  }

  @Test func `a response that another cache has read is not evicted first`() async throws {
    let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    let date: @Sendable () -> Date = {
      now.withLock { now in
        now += 100
        return now
      }
    }
    let stores = (0..<2).map { _ in
      DiskResponseCache(folder: folder.responses, limit: 60_000, date: date, onProblem: log.add)
    }
    for number in 0..<5 { try await stores[0].write(.sample(size: 10_000), under: CacheKey("\(number)")) }
    #expect(try await stores[1].read(CacheKey("0")) != nil)
    try await stores[0].write(.sample(size: 10_000), under: CacheKey("5"))
    await stores[0].endScan()
    #expect(try await stores[0].read(CacheKey("0")) != nil)
    #expect(try await stores[0].read(CacheKey("1")) == nil)
  }
}
