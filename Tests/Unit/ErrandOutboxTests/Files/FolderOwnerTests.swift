import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// Files that root creates in the folder of another user belong to that user.
@Suite(.enabled(if: geteuid() == 0, "only root can give files to another user")) struct FolderOwnerTests {
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }

  init() throws { temporary = try TemporaryFolder() }

  private func owners() throws -> [String: UInt32] {
    var owners: [String: UInt32] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      var info = stat()
      #expect(lstat(folder.appending(path: name).path, &info) == 0)
      owners[name] = info.st_uid
    }
    return owners
  }

  @Test func `everything in a service's outbox belongs to the service, also after root used it`() async throws
  {
    #expect(chown(folder.path, 54321, 54321) == 0)
    let outbox = try await Outbox(at: folder, client: Client(transport: StubTransport([.stall])))
    _ = try await outbox.enqueue(
      .post(URL(string: "https://example.com/")!, .bytes(Data(count: 200_000))))
    let owners = try owners()
    #expect(owners.values.allSatisfy { $0 == 54321 }, "\(owners)")
    for end in [".sqlite", ".sqlite-wal", ".sending", ".lock"] {
      #expect(owners.keys.contains { $0.hasSuffix(end) }, "\(owners)")
    }
    #expect(owners.keys.contains { $0.hasPrefix("files/") } && owners["owners"] != nil)
    await outbox.close(within: .zero)
  }

  @Test func `in a folder of root the owner of the database counts`() throws {
    let database = folder.appending(path: "outbox.sqlite")
    try Data().write(to: database)
    #expect(chown(database.path, 54321, 54321) == 0)
    let files = folder.appending(path: "files")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: false)
    FolderOwner.adopt(folder: files.path, in: folder.path)
    #expect(try owners()["files"] == 54321)
  }

  @Test func `root writes to no database that a link of another user names`() async throws {
    let other = try TemporaryFolder()
    let target = other.url.appending(path: "data")
    let link = folder.appending(path: "outbox.sqlite")
    #expect(chown(folder.path, 54321, 54321) == 0)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    let client = Client(transport: StubTransport([.stall]))
    // The target is missing.
    await #expect(throws: OutboxError.self) { try await Outbox(at: folder, client: client) }
    #expect(!FileManager.default.fileExists(atPath: target.path))
    try Data().write(to: target)
    #expect(lchown(link.path, 54321, 54321) == 0)
    await #expect(throws: OutboxError.self) { try await Outbox(at: folder, client: client) }
    #expect(try Data(contentsOf: target).isEmpty)
  }

  @Test func `a link in the place of a folder is not followed`() throws {
    let other = try TemporaryFolder()
    #expect(chown(folder.path, 54321, 54321) == 0)
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "files"), withDestinationURL: other.url)
    FolderOwner.adopt(folder: folder.appending(path: "files").path, in: folder.path)
    var info = stat()
    #expect(stat(other.url.path, &info) == 0 && info.st_uid == 0)
  }
}
