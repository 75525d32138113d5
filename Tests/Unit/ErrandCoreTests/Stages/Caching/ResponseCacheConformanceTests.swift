import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandConformance

@Suite struct ResponseCacheConformanceTests {
  @Test("a store in memory conforms", arguments: ResponseCacheConformance.cases)
  func memory(_ requirement: ResponseCacheConformance.Case) async throws {
    try await ResponseCacheConformance { MemoryResponseCache(limit: $0) }.run(requirement)
  }

  @Test("a store on disk conforms", arguments: ResponseCacheConformance.cases)
  func disk(_ requirement: ResponseCacheConformance.Case) async throws {
    let folder = try CacheTestFolder()
    try await ResponseCacheConformance { limit in
      DiskResponseCache(folder: folder.url.appending(path: UUID().uuidString), limit: limit) { problem in
        Issue.record("\(problem)")
      }
    }.run(requirement)
  }

  @Test("an encrypted store conforms", arguments: ResponseCacheConformance.cases)
  func encrypted(_ requirement: ResponseCacheConformance.Case) async throws {
    try await ResponseCacheConformance { limit in
      try EncryptedResponseCache(MemoryResponseCache(limit: limit), key: Data(count: 32))
    }.run(requirement)
  }
}
