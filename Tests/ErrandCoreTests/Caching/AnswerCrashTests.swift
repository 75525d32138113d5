import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite(.timeLimit(.minutes(2))) struct AnswerCrashTests {
  private let folder: AnswerTestFolder
  private let log = ProblemLog()

  init() throws { folder = try AnswerTestFolder() }

  /// The number of what was written, if it was read whole.
  private func number(of answer: KeptAnswer, under name: String) throws -> Int {
    let number = try #require(answer.fields["Number"].flatMap { Int($0) })
    #expect(answer.repeats("\(name) \(number)\n"))
    return number
  }

  @Test func `a process that is killed at any instant leaves every answer old or new, and whole`()
    async throws
  {
    var random = SeededRandom(seed: UInt64.random(in: 0...(.max)))
    // The number that was last kept for certain, by name.
    var kept: [String: Int] = [:]
    var next = 0
    for _ in 0..<30 {
      let writer = try AnswerWriterProcess(folder: folder.answers, limit: 50_000_000, firstNumber: next)
      var last = next - 1
      var said = await writer.lines(Int.random(in: 0...30, using: &random))
      // Waits for nothing: it makes the instant a random one.
      usleep(UInt32.random(in: 0...3000, using: &random))
      said += await writer.kill()
      for line in said {
        let words = line.split(separator: " ")
        try #require(words.count == 3 && words[0] == "key", "it said \(line)")
        last = Int(words[2]) ?? -1
        kept["key \(words[1])"] = last
      }
      // It may have kept one more than it could say.
      next = last + 2
      let left = folder.names.filter { !AnswerFileName.isAnswer($0) }
      #expect(left.count <= 1 && left.allSatisfy(AnswerFileName.isPart))
      let store = DiskAnswerStore(folder: folder.answers, limit: 50_000_000, onProblem: log.add)
      for name in (0..<5).map({ "key \($0)" }) {
        let answer = try await store.read(AnswerKey(name))
        let found = try answer.map { try number(of: $0, under: name) } ?? -1
        #expect(found >= kept[name] ?? -1)
        #expect(found < next)
      }
      try await store.write(.sample("mine"), under: AnswerKey("mine"))
      #expect(folder.names.allSatisfy(AnswerFileName.isAnswer))
    }
    #expect(log.problems.isEmpty)
    #expect(next > 30)
  }

  @Test func `two processes write one folder at once, and every read is whole`() async throws {
    let limit = 60_000
    let writers = try (0..<2).map { _ in
      try AnswerWriterProcess(folder: folder.answers, limit: limit, firstNumber: 0)
    }
    let store = DiskAnswerStore(folder: folder.answers, limit: limit, onProblem: log.add)
    var random = SeededRandom(seed: 11)
    var found = 0
    for _ in 0..<300 {
      let name = "key \(Int.random(in: 0..<5, using: &random))"
      switch Int.random(in: 0..<12, using: &random) {
      case 0: try await store.remove(AnswerKey(name))
      case 1: for entry in try await store.list() { #expect(entry.size <= limit) }
      case 2:
        for writer in writers { #expect(await writer.lines(1).allSatisfy { $0.hasPrefix("key ") }) }
      case 3 where Int.random(in: 0..<8, using: &random) == 0: try await store.clear()
      default:
        guard let answer = try await store.read(AnswerKey(name)) else { continue }
        _ = try number(of: answer, under: name)
        found += 1
      }
    }
    #expect(found > 10)
    for writer in writers {
      for line in await writer.kill() { #expect(line.hasPrefix("key ")) }
    }
    try await store.write(.sample("mine"), under: AnswerKey("mine"))
    #expect(folder.names.allSatisfy(AnswerFileName.isAnswer))
    #expect(try await store.list().reduce(0) { $0 + $1.size } <= limit)
    #expect(log.problems.isEmpty)
  }
}
