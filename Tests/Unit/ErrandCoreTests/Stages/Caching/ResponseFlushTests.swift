import FileCalls
import Foundation
import Testing

@testable import ErrandCore

@Suite(.enabled(if: FileCalls.isAvailable)) struct ResponseFlushTests {
  @Test func `a cached response and the salt are flushed before their files are renamed into place`()
    async throws
  {
    let folder = try CacheTestFolder()
    let calls = try FileCalls(in: folder.url.path)
    let store = DiskResponseCache(folder: folder.responses, limit: 1_000_000)
    try await store.write(.sample("kept"), under: CacheKey("a"))
    _ = try await store.salt()
    #expect(folder.names.count == 2)
    for name in folder.names { #expect(calls.all.isDurable("responses/\(name)", in: "responses"), "\(name)") }
  }

  @Test func `a response that cannot be flushed is not cached, and the write throws`() async throws {
    let folder = try CacheTestFolder()
    let calls = try FileCalls(in: folder.url.path)
    calls.failFlushes()
    let store = DiskResponseCache(folder: folder.responses, limit: 1_000_000)
    await #expect(throws: (any Error).self) { try await store.write(.sample("kept"), under: CacheKey("a")) }
    #expect(folder.names.isEmpty)
  }
}
