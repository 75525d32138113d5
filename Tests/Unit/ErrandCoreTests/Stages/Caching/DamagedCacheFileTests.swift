import Foundation
import Testing

@testable import ErrandCore

@Suite struct DamagedCacheFileTests {
  private let folder: CacheTestFolder
  private let log = ProblemLog()
  private let store: DiskResponseCache
  private let key = CacheKey("a")

  init() throws {
    folder = try CacheTestFolder()
    store = DiskResponseCache(folder: folder.responses, onProblem: log.add)
  }

  /// Writes a response. Returns its file and the bytes of the file.
  private func write() async throws -> (file: URL, bytes: Data) {
    try await store.write(.sample("the body"), under: key)
    let file = URL(filePath: try #require(folder.onlyResponse))
    return (file, try Data(contentsOf: file))
  }

  /// Checks that the file is not read as a response, but removed and reported.
  private func isFound(_ file: URL, before count: Int, _ note: Comment) async throws {
    #expect(try await store.read(key) == nil, note)
    #expect(!FileManager.default.fileExists(atPath: file.path), note)
    #expect(log.problems.count == count + 1, note)
    #expect(log.problems.last?.path == file.path, note)
  }

  @Test func `a file that is truncated at any length is detected`() async throws {
    let (file, bytes) = try await write()
    for length in bytes.indices {
      try bytes.prefix(length).write(to: file)
      try await isFound(file, before: length, "truncated to \(length)")
    }
    #expect(log.reasons.allSatisfy { $0 == .damaged })
  }

  @Test func `a flipped bit at any position is detected`() async throws {
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

  @Test func `extra bytes at the end are detected`() async throws {
    let (file, bytes) = try await write()
    try (bytes + [0]).write(to: file)
    try await isFound(file, before: 0, "one more")
  }

  @Test func `a file of another version and a foreign file are reported as such`() async throws {
    let (file, bytes) = try await write()
    var changed = bytes
    changed[8] = 4
    try changed.write(to: file)
    try await isFound(file, before: 0, "version")
    #expect(log.reasons == [.otherVersion(4)])
    #expect(log.problems[0].description == "\(file.path) has the unknown version 4 and was removed")
  }

  @Test(arguments: ["A", "mine", String(repeating: "A", count: 1000)])
  func `a foreign file with the name of a response's file is not changed`(text: String) async throws {
    let (file, _) = try await write()
    try Data(text.utf8).write(to: file)
    #expect(try await store.read(key) == nil)
    #expect(log.reasons == [.foreign])
    await #expect(throws: FileError.self) { try await store.write(.sample("new"), under: key) }
    try await store.remove(key)
    #expect(try await store.list().isEmpty)
    try await store.clear()
    for number in 0..<20 { try await store.write(.sample(size: 500), under: CacheKey("\(number)")) }
    #expect(try Data(contentsOf: file) == Data(text.utf8))
    #expect(log.reasons.allSatisfy { $0 == .foreign })
  }

  @Test func `a foreign file that appears while a body arrives is not replaced`() async throws {
    let draft = try store.draft(.sample(), under: key)
    _ = try draft.sink.write(Data("the body".utf8))
    let file = URL(filePath: folder.path(CacheFileName.of(key)))
    try Data("mine".utf8).write(to: file)
    await #expect(throws: FileError.self) { try await draft.commit() }
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
    #expect(folder.names == [file.lastPathComponent])
  }

  @Test func `a response in a file with the name for another key is not returned`() async throws {
    let (file, _) = try await write()
    try await store.write(.sample("of b"), under: CacheKey("b"))
    let other = URL(filePath: folder.path(CacheFileName.of(CacheKey("b"))))
    try Data(contentsOf: other).write(to: file)
    try await isFound(file, before: 0, "b as a")
    #expect(try await store.read(CacheKey("b")) == .sample("of b"))
    #expect(log.reasons == [.damaged])
  }

  @Test func `a list omits damaged files, and removes them`() async throws {
    let (file, bytes) = try await write()
    try await store.write(.sample("of b"), under: CacheKey("b"))
    var changed = bytes
    changed[90] ^= 1
    try changed.write(to: file)
    #expect(try await store.list().map(\.key.name) == ["b"])
    #expect(log.reasons == [.damaged])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `a damaged salt is replaced`() async throws {
    let salt = try await store.salt()
    let file = URL(filePath: folder.path(CacheFileName.salt))
    let bytes = try Data(contentsOf: file)
    let older = bytes.dropFirst(8)
    for position in bytes.indices {
      var damaged = bytes
      damaged[position] ^= 1
      try damaged.write(to: file)
      #expect(try await store.salt() != salt)
    }
    for damaged in [Data(), bytes.prefix(40), bytes + [1], Data(older)] {
      try damaged.write(to: file)
      let new = try await store.salt()
      #expect(new != salt)
      #expect(try await store.salt() == new)
    }
    #expect(log.reasons == Array(repeating: .damaged, count: bytes.count + 4))
  }

  @Test func `a foreign file with the name of the salt's file is not changed`() async throws {
    _ = try await store.salt()
    let file = URL(filePath: folder.path(CacheFileName.salt))
    for other in [Data(repeating: 65, count: 64), Data(repeating: 65, count: 72), Data("mine".utf8)] {
      try other.write(to: file)
      let error = await #expect(throws: FileError.self) { try await store.salt() }
      #expect(error?.description.contains("a dedicated folder") == true)
      #expect(try Data(contentsOf: file) == other)
    }
  }

  @Test func `a folder with the name of a response's file is left alone, and a read does not fail`()
    async throws
  {
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

  @Test func `a file that exceeds the cache's limit is not read, and is the first to be evicted`()
    async throws
  {
    let (file, bytes) = try await write()
    let (head, body): (UInt64, UInt64) = (1 << 28, 1 << 40)
    var changed = bytes.prefix(88)
    for index in 0..<4 { changed[12 + index] = UInt8(truncatingIfNeeded: head >> UInt64(8 * index)) }
    for index in 0..<8 { changed[16 + index] = UInt8(truncatingIfNeeded: body >> UInt64(8 * index)) }
    try changed.write(to: file)
    #expect(truncate(file.path, off_t(88 + head + body)) == 0)
    #expect(try await store.read(key) == nil)
    #expect(FileManager.default.fileExists(atPath: file.path))
    let limited = DiskResponseCache(folder: URL(filePath: folder.path("")), limit: 1 << 20)
    try await limited.write(.sample("other"), under: CacheKey("other"))
    #expect(try await limited.read(CacheKey("other")) != nil)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(log.problems.isEmpty)
  }
}
