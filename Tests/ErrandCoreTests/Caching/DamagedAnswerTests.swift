import Foundation
import Testing

@testable import ErrandCore

@Suite struct DamagedAnswerTests {
  private let folder: AnswerTestFolder
  private let log = ProblemLog()
  private let store: DiskAnswerStore
  private let key = AnswerKey("a")

  init() throws {
    folder = try AnswerTestFolder()
    store = DiskAnswerStore(folder: folder.answers, onProblem: log.add)
  }

  /// The file of an answer that was written just now, and its bytes.
  private func write() async throws -> (file: URL, bytes: Data) {
    try await store.write(.sample("the body"), under: key)
    let file = URL(filePath: try #require(folder.onlyAnswer))
    return (file, try Data(contentsOf: file))
  }

  /// What is in the file now is not read, but removed and reported.
  private func isFound(_ file: URL, before count: Int, _ note: Comment) async throws {
    #expect(try await store.read(key) == nil, note)
    #expect(!FileManager.default.fileExists(atPath: file.path), note)
    #expect(log.problems.count == count + 1, note)
    #expect(log.problems.last?.path == file.path, note)
  }

  @Test func `a file that was cut anywhere is found out`() async throws {
    let (file, bytes) = try await write()
    for length in bytes.indices {
      try bytes.prefix(length).write(to: file)
      try await isFound(file, before: length, "cut to \(length)")
    }
    #expect(log.reasons.allSatisfy { $0 == .damaged })
  }

  @Test func `a bit that flipped anywhere is found out`() async throws {
    let (file, bytes) = try await write()
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1 << UInt8(index * 3 % 8)
      try changed.write(to: file)
      try await isFound(file, before: index, "byte \(index)")
    }
    try bytes.write(to: file)
    #expect(try await store.read(key) == .sample("the body"))
  }

  @Test func `bytes behind the end are found out`() async throws {
    let (file, bytes) = try await write()
    try (bytes + [0]).write(to: file)
    try await isFound(file, before: 0, "one more")
  }

  @Test func `another version and something else are called by their names`() async throws {
    let (file, bytes) = try await write()
    var changed = bytes
    changed[8] = 2
    try changed.write(to: file)
    try await isFound(file, before: 0, "version")
    try Data(repeating: 65, count: 1000).write(to: file)
    try await isFound(file, before: 1, "foreign")
    #expect(log.reasons == [.otherVersion(2), .foreign])
    #expect(log.problems[0].description == "\(file.path) has the unknown version 2 and was removed")
  }

  @Test func `an answer under another's name is not given out`() async throws {
    let (file, _) = try await write()
    try await store.write(.sample("of b"), under: AnswerKey("b"))
    let other = URL(filePath: folder.path(AnswerFileName.of(AnswerKey("b"))))
    try Data(contentsOf: other).write(to: file)
    try await isFound(file, before: 0, "b as a")
    #expect(try await store.read(AnswerKey("b")) == .sample("of b"))
    #expect(log.reasons == [.foreign])
  }

  @Test func `a list leaves out what is damaged, and removes it`() async throws {
    let (file, bytes) = try await write()
    try await store.write(.sample("of b"), under: AnswerKey("b"))
    var changed = bytes
    changed[90] ^= 1
    try changed.write(to: file)
    #expect(try await store.list().map(\.key.name) == ["b"])
    #expect(log.reasons == [.damaged])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `a damaged salt is replaced`() async throws {
    let salt = try await store.salt()
    let file = URL(filePath: folder.path(AnswerFileName.salt))
    var bytes = try Data(contentsOf: file)
    bytes[3] ^= 1
    for damaged in [bytes, Data(), bytes.prefix(40), bytes + [1]] {
      try damaged.write(to: file)
      let new = try await store.salt()
      #expect(new != salt)
      #expect(try await store.salt() == new)
    }
    #expect(log.reasons == [.damaged, .damaged, .damaged, .damaged])
  }

  @Test func `a folder under an answer's name is left where it is, and no read fails`() async throws {
    let (file, _) = try await write()
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    #expect(try await store.read(key) == nil)
    await #expect(throws: FileError.self) { try await store.write(.sample("b"), under: key) }
    #expect(folder.names == [file.lastPathComponent])
    guard case .unreadable? = log.reasons.first else {
      Issue.record("\(log.problems)")
      return
    }
  }

  @Test func `a file that is longer than the store's limit is removed and not read`() async throws {
    let (file, bytes) = try await write()
    let (head, body): (UInt64, UInt64) = (1 << 28, 1 << 40)
    var changed = bytes.prefix(88)
    for index in 0..<4 { changed[12 + index] = UInt8(truncatingIfNeeded: head >> UInt64(8 * index)) }
    for index in 0..<8 { changed[16 + index] = UInt8(truncatingIfNeeded: body >> UInt64(8 * index)) }
    try changed.write(to: file)
    #expect(truncate(file.path, off_t(88 + head + body)) == 0)
    #expect(try await store.read(key) == nil)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(log.problems.isEmpty)
  }
}
