import Foundation
import Testing

@testable import ErrandConformance
@testable import ErrandCore
@testable import ErrandTesting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct UnwritableFolderTests {
  private let folder: CacheTestFolder
  private let log = ProblemLog()
  private let store: DiskResponseCache

  init() throws {
    folder = try CacheTestFolder()
    store = DiskResponseCache(folder: folder.responses, limit: 100_000_000, onProblem: log.add)
  }

  private func failure(_ response: CachedResponse, under key: CacheKey) async throws -> FileError {
    try #require(
      await #expect(throws: FileError.self) { try await store.write(response, under: key) })
  }

  @Test func `a folder that cannot be created fails a write, and counts as a miss for a read`() async throws {
    try Data("a file".utf8).write(to: folder.responses)
    #expect(try await failure(.sample("a"), under: CacheKey("a")).systemCode != nil)
    #expect(try await store.read(CacheKey("a")) == nil)
    await #expect(throws: FileError.self) { try await store.salt() }
    await #expect(throws: FileError.self) { try await store.key("a", fields: ["Cookie": "b"]) }
    #expect(try await store.key("a", fields: ["User-Agent": "b"]) == CacheKey("a"))
    #expect(try String(contentsOf: folder.responses, encoding: .utf8) == "a file")
  }

  #if os(Linux)
    /// Runs the body on a small file system. Only root can mount one; otherwise the body is skipped.
    private func withSmallDisk(_ body: () async throws -> Void) async throws {
      try FileManager.default.createDirectory(at: folder.responses, withIntermediateDirectories: true)
      guard let disk = SmallDisk(at: folder.responses.path) else {
        return print("skipped: this process cannot mount a file system")
      }
      defer { disk.unmount() }
      try await body()
    }

    @Test func `a full disk fails a write, and the cached response remains`() async throws {
      try await withSmallDisk {
        try await store.write(.sample("old"), under: CacheKey("a"))
        let error = try await failure(.sample(size: 3_000_000), under: CacheKey("a"))
        #expect(error.systemCode == ENOSPC)
        #expect(error.description.hasSuffix("No space left on device"))
        #expect(try await store.read(CacheKey("a")) == .sample("old"))
        #expect(folder.names.count == 1)
        try await store.write(.sample("new"), under: CacheKey("a"))
        #expect(try await store.read(CacheKey("a")) == .sample("new"))
        #expect(log.problems.isEmpty)
      }
    }

    @Test func `a read-only folder fails a write, and can still be read`() async throws {
      try await withSmallDisk {
        try await store.write(.sample("old"), under: CacheKey("a"))
        guard
          mount("tmpfs", folder.responses.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil)
            == 0
        else { return print("skipped: this process cannot make a file system read-only") }
        #expect(try await failure(.sample("new"), under: CacheKey("a")).systemCode == EROFS)
        #expect(try await store.read(CacheKey("a")) == .sample("old"))
        #expect(try await store.list().count == 1)
        await #expect(throws: FileError.self) { try await store.remove(CacheKey("a")) }
        await #expect(throws: FileError.self) { try await store.clear() }
        #expect(log.problems.isEmpty)
      }
    }
  #endif
}
