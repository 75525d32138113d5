import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite struct HandoverFilesTests {
  @Test func `a sweep removes the bodies of ended attempts, and no other file`() async throws {
    let folder = try TemporaryFolder()
    let files = HandoverFiles(in: folder.url.path, work: .queued)
    let leases = [1, 2].map { Lease(id: OutboxID(rawValue: "a"), number: $0) }
    for lease in leases { _ = try await files.write(.bytes(Data("body".utf8)), for: lease) }
    try folder.write("mine", to: "handed/notes.txt")
    await files.sweep(keeping: [leases[1]])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("handed")).sorted() == [
        "2", "notes.txt",
      ])
  }
}
