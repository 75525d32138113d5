import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// A sweep removes the files that are neither held nor named by a row, and nothing else.
@Suite struct SweepTests {
  private let harness: StorageHarness
  private let folder: BlobFolder

  init() throws {
    harness = try StorageHarness()
    folder = BlobFolder(in: harness.outbox)
  }

  private func write(_ count: Int = 1) async throws -> [StoredBlob] {
    try await folder.put(Array(repeating: BodySegment.bytes(.seeded(10)), count: count).sources())
  }

  /// Writes files and releases their hold, like a process that died.
  private func leave(_ count: Int = 1) async throws -> [String] { try await write(count).map(\.name) }

  @Test func `a sweep keeps the files of rows and removes the others`() async throws {
    let (used, orphans) = (try await leave(100), try await leave(150))
    let asked = Locked<[Int]>([])
    let removed = try await folder.sweep { names in
      asked.withLock { $0.append(names.count) }
      return Set(used).intersection(names)
    }
    #expect(Set(removed) == Set(orphans))
    #expect(harness.fileNames == used.sorted())
    // First for all names, then for the unused ones once more.
    #expect(asked.withLock { $0 } == [250, 150])
  }

  @Test func `a sweep removes the part file and the hold file of a dead process`() async throws {
    try folder.make()
    let name = try await leave()[0]
    let number = try #require(ContentFileName.hold(of: name))
    for name in [ContentFileName.hold(number), ContentFileName.part(ContentFileName.number(in: number, 7))] {
      try Data().write(to: harness.storedFile(name))
    }
    #expect(try await folder.sweep { _ in [] }.count == 3)
    #expect(harness.allNames.isEmpty)
  }

  @Test func `a hold is one file, which is removed when the hold is released`() async throws {
    var files: [StoredBlob]? = try await write(300)
    #expect(harness.allNames.count == 301)
    #expect(Set(files?.map(\.name) ?? []).count == 300)
    #expect(try await folder.sweep { _ in [] }.isEmpty)
    files = nil
    #expect(harness.allNames.count == 300)
    #expect(try await folder.sweep { _ in [] }.count == 300)
  }

  @Test func `a sweep keeps a file whose row is about to be stored`() async throws {
    let storage = harness.storage()
    let file = try harness.file("f", .seeded(100))
    let item = OutboxItem(
      id: .new(), request: .put("https://example.com", .file(file)), key: UUID().uuidString)
    let names = try await storage.store(
      [item], used: { Set($0) },
      commit: { rows in
        let removed = try await folder.sweep { _ in [] }
        #expect(removed.isEmpty)
        return rows[0].files
      })
    #expect(harness.fileNames == names)
    // Once the row is stored, the sweep finds that it uses the file.
    #expect(try await folder.sweep { Set($0) }.isEmpty)
    #expect(try await folder.sweep { _ in [] } == names)
  }

  @Test func `a file is held while it is written, under its temporary and its final name`() async throws {
    try folder.make()
    let heldNames = Locked<[String]>([])
    let hold = try ContentHold(in: folder.path)
    let writer = ContentWriter(folder: folder.path, hold: hold) {
      // The writer calls this closure before each piece, thus while it writes.
      heldNames.withLock { $0 = harness.fileNames.filter(isHeld) }
      return false
    }
    let file = try writer.write(BlobSource(.bytes(.seeded(10)), 0, of: .new(), seal: ContentSeal(nil)))
    #expect(heldNames.withLock { $0.map(ContentFileName.isPart) } == [true])
    #expect(harness.fileNames.filter(isHeld) == [file.name])
  }

  @Test func `a sweep holds a file while it looks for its row, so that no row is stored meanwhile`()
    async throws
  {
    let names = try await leave(2)
    let number = try #require(ContentFileName.hold(of: names[0]))
    try Data().write(to: harness.storedFile(ContentFileName.hold(number)))
    let heldWhenAsked = Locked<[Bool]>([])
    try await folder.sweep { asked in
      #expect(asked.sorted() == names.sorted())
      heldWhenAsked.withLock { $0.append(asked.allSatisfy(isHeld)) }
      return heldWhenAsked.withLock { $0.count } == 1 ? [] : Set(names.prefix(1))
    }
    #expect(heldWhenAsked.withLock { $0 } == [false, true])
    #expect(harness.fileNames == [names[0]])
    #expect(!isHeld(names[0]))
  }

  private func isHeld(_ name: String) -> Bool {
    guard let number = ContentFileName.hold(of: name),
      let file = try? FileDescriptor(reading: folder.file(ContentFileName.hold(number)))
    else { return false }
    return !file.holdIfAbandoned()
  }

  @Test func `a sweep leaves other files of the folder alone`() async throws {
    try folder.make()
    let digest = String(repeating: "a", count: 64)
    for name in [
      "notes.txt", ".lock", "\(digest)", "\(digest).id", "\(digest).id.1", "\(digest).i d.0123456789abcdef",
      "x.part",
      "0123456789abcdeg.part", "\(digest.dropLast()).id.0123456789abcdef",
    ] { try Data().write(to: harness.storedFile(name)) }
    let before = harness.fileNames
    #expect(try await folder.sweep { _ in [] }.isEmpty)
    #expect(harness.fileNames == before)
  }

  @Test func `a sweep that cannot find out which files are used removes nothing`() async throws {
    let names = try await leave()
    await #expect(throws: OutboxError.self) {
      try await folder.sweep { _ in throw OutboxError(.busy, "x") }
    }
    #expect(harness.fileNames == names)
    #expect(try await folder.sweep { _ in [] } == names)
  }

  @Test func `a sweep of a missing folder does nothing`() async throws {
    #expect(try await folder.sweep { _ in [] }.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: harness.outbox.path))
  }

  /// The rows of a store.
  private final class Rows: Sendable {
    private let files = Locked<Set<String>>([])

    func add(_ row: NewRow) { files.withLock { $0.formUnion(row.files) } }

    func used(_ names: [String]) -> Set<String> { files.withLock { $0.intersection(names) } }
  }

  @Test func `tasks that store files while others sweep lose no file`() async throws {
    let storage = harness.storage()
    let rows = Rows()
    let folder = folder
    let outcome = try await withThrowingTaskGroup(of: Set<String>.self) { group in
      for writer in 0..<8 {
        group.addTask {
          var stored: Set<String> = []
          for index in 0..<25 {
            let body = RequestBody.bytes(.seeded(70_000, UInt64(writer * 100 + index)))
            let item = OutboxItem(
              id: .new(), request: .put("https://example.com", body), key: UUID().uuidString)
            do {
              let names = try await storage.store([item], used: rows.used) { new in
                await Task.yield()
                // The store refuses every third one.
                if index % 3 == 0 { throw OutboxError(.full, "full") }
                rows.add(new[0])
                return new[0].files
              }
              stored.formUnion(names)
            } catch let error as OutboxError where error.code == .full {}
          }
          return stored
        }
      }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<40 {
            try await folder.sweep(used: rows.used)
            await Task.yield()
          }
          return []
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(outcome.count == 8 * 16)
    #expect(Set(harness.fileNames) == outcome)
  }
}
