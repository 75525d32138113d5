import ErrandCore
import ErrandCrypto
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandConformance
@testable import ErrandOutbox

@Suite struct BlobFolderTests {
  private let harness: StorageHarness
  private let folder: BlobFolder

  init() throws {
    harness = try StorageHarness()
    folder = BlobFolder(in: harness.outbox)
  }

  private func write(_ segments: BodySegment..., id: OutboxID = .new()) async throws -> [StoredBlob] {
    try await folder.put(segments.sources(of: id))
  }

  private func failure(_ work: () async throws -> Void) async -> OutboxError? {
    do {
      try await work()
      return nil
    } catch {
      return error as? OutboxError
    }
  }

  private func permissions(_ url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }

  @Test(arguments: [0, 1, 65_536, 300_001])
  func `a file is copied byte for byte, and named by its digest and its request`(length: Int) async throws {
    let file = try harness.file("f", .seeded(length))
    let id = OutboxID.new()
    let held = try await write(.file(path: file.path), .bytes(.seeded(length)), id: id)
    let digest = SHA256Digest(hashing: .seeded(length))
    for found in held {
      #expect(found.name.hasPrefix("\(digest).\(id)."))
      #expect(found.size == Int64(length))
      #expect(try Data(contentsOf: harness.storedFile(found.name)) == .seeded(length))
    }
    // Equal contents are still stored in separate files.
    #expect(Set(held.map(\.name)).count == 2)
    #expect(harness.fileNames == held.map(\.name).sorted())
  }

  @Test func `only the user can read stored files`() async throws {
    let held = try await write(.bytes(.seeded(1)))
    #expect(try permissions(harness.outbox) == 0o700)
    #expect(try permissions(harness.outbox.appending(path: "files")) == 0o700)
    #expect(try permissions(harness.storedFile(held[0].name)) == 0o600)
  }

  @Test func `a copy does not change when its original is changed or removed`() async throws {
    let file = try harness.file("f", .seeded(1000))
    let held = try await write(.file(path: file.path))
    try Data().write(to: file)
    try FileManager.default.removeItem(at: file)
    #expect(try Data(contentsOf: harness.storedFile(held[0].name)) == .seeded(1000))
  }

  @Test func `the error for a missing or irregular file names it, and nothing is left behind`() async throws {
    let pipe = harness.url("pipe")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let good = BodySegment.file(path: try harness.file("f", .seeded(100)).path)
    for path in [
      harness.url("missing").path, harness.outbox.deletingLastPathComponent().path, pipe.path, "/dev/null",
    ] {
      let error = await failure { _ = try await write(good, .bytes(.seeded(70_000)), .file(path: path)) }
      #expect(error?.code == .fileUnreadable)
      #expect(error?.message.contains(path) == true)
      #expect(harness.fileNames.isEmpty)
    }
  }

  @Test(.computesLong, arguments: [true, false])
  func `a file that is written to while it is copied is refused, and nothing is left behind`(isSealed: Bool)
    async throws
  {
    let seal = ContentSeal(isSealed ? .random() : nil)
    try folder.make()
    for change in [Data.seeded(50, 2), .seeded(400_000, 2), .seeded(300_000, 2)] {
      let file = try harness.file("f", .seeded(300_000))
      // The writer calls this closure before each piece.
      let hold = try ContentHold(in: folder.path)
      let writer = ContentWriter(folder: folder.path, hold: hold) {
        #expect(throws: Never.self) { try change.write(to: file, options: []) }
        return false
      }
      let error = await failure {
        _ = try writer.write(BlobSource(.file(path: file.path), 0, of: .new(), seal: seal))
      }
      #expect(error?.code == .fileUnreadable)
      #expect(error?.message.contains("changed while it was copied") == true, "\(error as Any)")
      #expect(harness.fileNames.isEmpty)
    }
  }

  @Test func `copying stops when it is cancelled, and nothing is left behind`() async throws {
    try folder.make()
    let pieces = Locked(0)
    let hold = try ContentHold(in: folder.path)
    let writer = ContentWriter(folder: folder.path, hold: hold) {
      pieces.withLock { pieces in
        pieces += 1
        return pieces == 3
      }
    }
    let source = BlobSource(.bytes(.seeded(300_000)), 0, of: .new(), seal: ContentSeal(nil))
    #expect(throws: CancellationError.self) { _ = try writer.write(source) }
    #expect(pieces.withLock { $0 } == 3)
    #expect(harness.fileNames.isEmpty)
    // Cancelled before it begins.
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await write(.bytes(.seeded(300_000)))
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(harness.fileNames.isEmpty)
  }

  @Test func `a content folder removes only its own files`() async throws {
    let held = try await write(.bytes(.seeded(10)), .bytes(.seeded(20)))
    let other = harness.outbox.appending(path: "other")
    try Data().write(to: other)
    await folder.remove([held[0].name, "../other", "missing", "", "."])
    #expect(harness.fileNames == [held[1].name])
    #expect(FileManager.default.fileExists(atPath: other.path))
  }

  @Test(arguments: [
    "../../etc/passwd", "", "a/b", ".", "a\u{0}b", "ü", String(repeating: "x", count: 65), "a.b",
  ])
  func `any ID makes a valid file name`(id: String) async throws {
    let held = try await write(.bytes(.seeded(10)), id: OutboxID(rawValue: id))
    #expect(harness.fileNames == [held[0].name])
    #expect(ContentFileName.isContent(held[0].name))
  }

  @Test func `a folder that cannot be created is a notWritable error`() async throws {
    try Data().write(to: harness.outbox)
    let error = await failure { _ = try await write(.bytes(.seeded(10))) }
    #expect(error?.code == .notWritable)
    #expect(error?.message.contains(harness.outbox.path) == true)
  }

  #if os(Linux)
    @Test(arguments: [true, false])
    func `a full disk is an error that leaves nothing behind, and stored files remain`(isSealed: Bool)
      async throws
    {
      try FileManager.default.createDirectory(at: harness.outbox, withIntermediateDirectories: true)
      guard let disk = SmallDisk(at: harness.outbox.path) else { return }
      defer { disk.unmount() }
      let seal = ContentSeal(isSealed ? .random() : nil)
      let kept = try await folder.put([.bytes(.seeded(200_000))].sources(seal))
      let whole = try Data(contentsOf: harness.storedFile(kept[0].name))
      let file = try harness.file("f", .seeded(900_000))
      let error = await failure {
        _ = try await folder.put([.bytes(.seeded(70_000)), .file(path: file.path)].sources(seal))
      }
      #expect(error?.code == .diskFull)
      #expect(harness.fileNames == [kept[0].name])
      #expect(try Data(contentsOf: harness.storedFile(kept[0].name)) == whole)
      // There is space again.
      _ = try await folder.put([.bytes(.seeded(500_000))].sources(seal))
    }

    @Test func `a read-only disk is a notWritable error`() async throws {
      try folder.make()
      guard mount(harness.outbox.path, harness.outbox.path, nil, UInt(MS_BIND), nil) == 0 else { return }
      defer { umount2(harness.outbox.path, Int32(MNT_DETACH)) }
      try #require(mount(nil, harness.outbox.path, nil, UInt(MS_BIND | MS_REMOUNT | MS_RDONLY), nil) == 0)
      let error = await failure { _ = try await write(.bytes(.seeded(10))) }
      #expect(error?.code == .notWritable)
    }
  #endif
}

extension [BodySegment] {
  /// Returns the segments as bodies of a request to store.
  func sources(_ seal: ContentSeal = ContentSeal(nil), of id: OutboxID = .new()) -> [BlobSource] {
    enumerated().map { BlobSource($1, $0, of: id, seal: seal) }
  }
}
