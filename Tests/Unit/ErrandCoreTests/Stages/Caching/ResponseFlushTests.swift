import FileCalls
import Foundation
import Testing

@testable import ErrandCore

@Suite(.enabled(if: FileCalls.isAvailable)) struct ResponseFlushTests {
  @Test func `the salt is flushed before its file is renamed into place, and a response is not`() async throws
  {
    let folder = try CacheTestFolder()
    let calls = try FileCalls(in: folder.url.path)
    let store = DiskResponseCache(folder: folder.responses, limit: 1_000_000)
    try await store.write(.sample("kept"), under: CacheKey("a"))
    _ = try await store.salt()
    #expect(folder.names.count == 2)
    for name in folder.names {
      #expect(calls.all.isDurable("responses/\(name)", in: "responses") == (name == "salt"), "\(name)")
    }
  }

  @Test func `a salt that cannot be flushed is not used`() async throws {
    let folder = try CacheTestFolder()
    let calls = try FileCalls(in: folder.url.path)
    calls.failFlushes()
    let store = DiskResponseCache(folder: folder.responses, limit: 1_000_000)
    await #expect(throws: (any Error).self) { try await store.salt() }
    #expect(folder.names.isEmpty)
  }
}
