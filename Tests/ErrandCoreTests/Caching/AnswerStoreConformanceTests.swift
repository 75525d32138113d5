import ErrandCore
import ErrandTesting
import Foundation
import Testing

@Suite struct AnswerStoreConformanceTests {
  @Test("a store in memory conforms", arguments: AnswerStoreConformance.cases)
  func memory(_ requirement: AnswerStoreConformance.Case) async throws {
    try await AnswerStoreConformance { MemoryAnswerStore(limit: $0) }.run(requirement)
  }

  @Test("a store on disk conforms", arguments: AnswerStoreConformance.cases)
  func disk(_ requirement: AnswerStoreConformance.Case) async throws {
    let folder = try AnswerTestFolder()
    try await AnswerStoreConformance { limit in
      DiskAnswerStore(folder: folder.url.appending(path: UUID().uuidString), limit: limit) { problem in
        Issue.record("\(problem)")
      }
    }.run(requirement)
  }
}
