import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct SharedCacheFolderTests {
  private let folder: CacheTestFolder
  private let log = ProblemLog()

  init() throws { folder = try CacheTestFolder() }

  @Test(arguments: 1...5)
  func `two caches on one folder do anything concurrently without an error or a torn read`(seed: UInt64)
    async throws
  {
    let limit = 40_000
    let stores = (0..<2).map { _ in
      DiskResponseCache(folder: folder.responses, limit: limit, onProblem: log.add)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          var random = SeededRandom(seed: seed * 100 + UInt64(worker))
          for step in 0..<80 {
            let store = stores[worker % 2]
            let number = Int.random(in: 0..<8, using: &random)
            let key = CacheKey("\(number)")
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try await store.remove(key)
            case 1: _ = try await store.list()
            case 2 where step % 20 == 0: try await store.clear()
            case 3...9:
              let count = Int.random(in: 0...800, using: &random)
              let text = String(repeating: "\(number) \(worker) \(step)\n", count: count)
              try await store.write(.sample(text), under: key)
            default:
              guard let response = try await store.read(key) else { continue }
              let line = String(decoding: response.data.prefix { $0 != 10 }, as: UTF8.self) + "\n"
              #expect(response.repeats(line))
              #expect(response.data.isEmpty || line.hasPrefix("\(number) "))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(folder.names.allSatisfy(CacheFileName.isResponse))
    #expect(try await stores[0].list().reduce(0) { $0 + $1.size } <= limit)
    #expect(log.problems.isEmpty)
  }

  @Test func `the partial file of a dead writer is removed, and that of a live writer is not`() async throws {
    let store = DiskResponseCache(folder: folder.responses, onProblem: log.add)
    try await store.write(.sample("a"), under: CacheKey("a"))
    let name = CacheFileName.of(CacheKey("b"))
    let parts = (1...2).map { CacheFileName.part(of: name, number: $0) }
    let living = try FileDescriptor(private: folder.path(parts[0]))
    #expect(living.claim())
    try Data("half".utf8).write(to: URL(filePath: folder.path(parts[1])))
    try await store.clear()
    #expect(folder.names == [parts[0]])
    living.unlock()
    try await store.clear()
    #expect(folder.names.isEmpty)
  }

  @Test func `caches that read the first salt concurrently get the same one`() async throws {
    let salts = try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<16 {
        let store = DiskResponseCache(folder: folder.responses, onProblem: log.add)
        group.addTask { try await store.salt() }
      }
      return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
    }
    #expect(salts.count == 1)
    #expect(folder.names == [CacheFileName.salt])
    #expect(log.problems.isEmpty)
  }
}
