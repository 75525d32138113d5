import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// An outbox's folder and files to send for one test, removed with the harness.
final class StorageHarness: Sendable {
  /// The outbox's folder.
  let outbox: URL
  private let root: TemporaryFolder

  init() throws {
    root = try TemporaryFolder()
    outbox = root.url.appending(path: "outbox", directoryHint: .isDirectory)
  }

  func storage(
    _ key: OutboxKey? = nil, secrets: Secrets = Secrets(), acceptsPlaintext: Bool = false
  ) -> RequestStorage {
    let folder = BlobFolder(in: outbox)
    return RequestStorage(
      folder, spool: folder, key: key, secrets: secrets, acceptsPlaintext: acceptsPlaintext)
  }

  /// Returns the URL of a file outside of the outbox.
  func url(_ name: String) -> URL { root.file(name) }

  /// Writes a file that is to be sent.
  func file(_ name: String, _ content: Data) throws -> URL {
    try root.write(content, to: name)
    return url(name)
  }

  /// Stores a request as a store would.
  func row(_ request: Request, _ id: OutboxID = .new(), key: OutboxKey? = nil) async throws -> NewRow {
    try await storage(key).store(
      [OutboxItem(id: id, request: request, key: UUID().uuidString)], used: { Set($0) }, commit: { $0[0] })
  }

  func request(_ row: NewRow, key: OutboxKey? = nil) throws -> Request {
    try storage(key).request(from: row.content, of: row.id)
  }

  /// The names in the folder of stored files, without hold files.
  var fileNames: [String] { allNames.filter { !ContentFileName.isHold($0) } }

  var allNames: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: outbox.appending(path: "files").path).sorted())
      ?? []
  }

  func storedFile(_ name: String) -> URL { outbox.appending(path: "files/\(name)") }

  /// Returns every byte of every file of the outbox.
  func everyByte() throws -> Data {
    var all = Data()
    let files = FileManager.default.enumerator(at: outbox, includingPropertiesForKeys: [.isRegularFileKey])
    for case let file as URL in try #require(files) {
      if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
        all += try Data(contentsOf: file)
      }
    }
    return all
  }
}

extension OutboxItem {
  /// An item that has its names.
  init(id: OutboxID, request: Request, key: String) { self = OutboxItem(request).named(id, key: key) }
}

extension OutboxID {
  static func new() -> OutboxID { OutboxID(rawValue: UUID().uuidString) }
}
