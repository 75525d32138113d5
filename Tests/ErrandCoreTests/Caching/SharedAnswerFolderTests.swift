import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct SharedAnswerFolderTests {
  private let folder: AnswerTestFolder
  private let log = ProblemLog()

  init() throws { folder = try AnswerTestFolder() }

  @Test(arguments: 1...5)
  func `two stores on one folder do anything at once without an error or a torn read`(seed: UInt64)
    async throws
  {
    let limit = 40_000
    let stores = (0..<2).map { _ in
      DiskAnswerStore(folder: folder.answers, limit: limit, onProblem: log.add)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          var random = SeededRandom(seed: seed * 100 + UInt64(worker))
          for step in 0..<80 {
            let store = stores[worker % 2]
            let number = Int.random(in: 0..<8, using: &random)
            let key = AnswerKey("\(number)")
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try await store.remove(key)
            case 1: _ = try await store.list()
            case 2 where step % 20 == 0: try await store.clear()
            case 3...9:
              let count = Int.random(in: 0...800, using: &random)
              let text = String(repeating: "\(number) \(worker) \(step)\n", count: count)
              try await store.write(.sample(text), under: key)
            default:
              guard let answer = try await store.read(key) else { continue }
              let line = String(decoding: answer.data.prefix { $0 != 10 }, as: UTF8.self) + "\n"
              #expect(answer.repeats(line))
              #expect(answer.data.isEmpty || line.hasPrefix("\(number) "))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(folder.names.allSatisfy(AnswerFileName.isAnswer))
    #expect(try await stores[0].list().reduce(0) { $0 + $1.size } <= limit)
    #expect(log.problems.isEmpty)
  }

  @Test func `a dead writer's part is swept, a living one's is not`() async throws {
    let store = DiskAnswerStore(folder: folder.answers, onProblem: log.add)
    try await store.write(.sample("a"), under: AnswerKey("a"))
    let name = AnswerFileName.of(AnswerKey("b"))
    let parts = (1...2).map { AnswerFileName.part(of: name, number: $0) }
    let living = try FileDescriptor(private: folder.path(parts[0]))
    #expect(living.claim())
    try Data("half".utf8).write(to: URL(filePath: folder.path(parts[1])))
    try await store.clear()
    #expect(folder.names == [parts[0]])
    living.unlock()
    try await store.clear()
    #expect(folder.names.isEmpty)
  }

  @Test func `stores that ask for the first salt at once get the same one`() async throws {
    let salts = try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<16 {
        let store = DiskAnswerStore(folder: folder.answers, onProblem: log.add)
        group.addTask { try await store.salt() }
      }
      return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
    }
    #expect(salts.count == 1)
    #expect(folder.names == [AnswerFileName.salt])
    #expect(log.problems.isEmpty)
  }
}
