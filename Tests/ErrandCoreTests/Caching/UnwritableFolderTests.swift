import Foundation
import Testing

@testable import ErrandCore
@testable import ErrandTesting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct UnwritableFolderTests {
  private let folder: AnswerTestFolder
  private let log = ProblemLog()
  private let store: DiskAnswerStore

  init() throws {
    folder = try AnswerTestFolder()
    store = DiskAnswerStore(folder: folder.answers, limit: 100_000_000, onProblem: log.add)
  }

  private func failure(_ answer: KeptAnswer, under key: AnswerKey) async throws -> FileError {
    try #require(
      await #expect(throws: FileError.self) { try await store.write(answer, under: key) })
  }

  @Test func `a folder that cannot be made is an error from write, and a miss for a read`() async throws {
    try Data("a file".utf8).write(to: folder.answers)
    #expect(try await failure(.sample("a"), under: AnswerKey("a")).systemCode != nil)
    #expect(try await store.read(AnswerKey("a")) == nil)
    await #expect(throws: FileError.self) { try await store.salt() }
    await #expect(throws: FileError.self) { try await store.key("a", fields: ["Cookie": "b"]) }
    #expect(try await store.key("a", fields: ["User-Agent": "b"]) == AnswerKey("a"))
    #expect(try String(contentsOf: folder.answers, encoding: .utf8) == "a file")
  }

  #if os(Linux)
    /// Only root can mount; elsewhere there is nothing to see.
    private func withSmallDisk(_ body: () async throws -> Void) async throws {
      try FileManager.default.createDirectory(at: folder.answers, withIntermediateDirectories: true)
      guard let disk = SmallDisk(at: folder.answers.path) else {
        return print("skipped: no file system can be mounted")
      }
      defer { disk.unmount() }
      try await body()
    }

    @Test func `a full disk is an error from write, and what is kept stays`() async throws {
      try await withSmallDisk {
        try await store.write(.sample("old"), under: AnswerKey("a"))
        let error = try await failure(.sample(size: 3_000_000), under: AnswerKey("a"))
        #expect(error.systemCode == ENOSPC)
        #expect(error.description.hasSuffix("No space left on device"))
        #expect(try await store.read(AnswerKey("a")) == .sample("old"))
        #expect(folder.names.count == 1)
        try await store.write(.sample("new"), under: AnswerKey("a"))
        #expect(try await store.read(AnswerKey("a")) == .sample("new"))
        #expect(log.problems.isEmpty)
      }
    }

    @Test func `a folder that can only be read is an error from write, and is read`() async throws {
      try await withSmallDisk {
        try await store.write(.sample("old"), under: AnswerKey("a"))
        guard
          mount("tmpfs", folder.answers.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil)
            == 0
        else { return print("skipped: no file system can be made read-only") }
        #expect(try await failure(.sample("new"), under: AnswerKey("a")).systemCode == EROFS)
        #expect(try await store.read(AnswerKey("a")) == .sample("old"))
        #expect(try await store.list().count == 1)
        await #expect(throws: FileError.self) { try await store.remove(AnswerKey("a")) }
        await #expect(throws: FileError.self) { try await store.clear() }
        #expect(log.problems.isEmpty)
      }
    }
  #endif
}
