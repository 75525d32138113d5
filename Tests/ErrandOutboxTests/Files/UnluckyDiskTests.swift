import ErrandCore
import FileCalls
import Foundation
import Testing

@testable import ErrandOutbox

/// The disk, or another process, at its worst. (What a loss of power leaves is the power-loss program's matter.)
@Suite(.enabled(if: FileCalls.isAvailable)) struct UnluckyDiskTests {
  private let lab: StorageLab
  private let calls: FileCalls

  init() throws {
    lab = try StorageLab()
    calls = try FileCalls(in: lab.url(".").standardizedFileURL.path)
  }

  @Test func `a file that cannot be flushed is not stored, and the failure is told`() async throws {
    let file = try lab.file("f", .seeded(100_000))
    calls.failFlushes()
    let error = await #expect(throws: OutboxError.self) {
      try await lab.row(.put("https://example.com", .file(file)))
    }
    #expect(error?.code == .failed)
    #expect(lab.fileNames.isEmpty)
  }

  @Test func `of two that give an outbox its first key at once, the second is refused`() async throws {
    let first = OutboxKey.random()
    calls.beforeLink { [lab] in
      let check = ContentSeal(first).wrap(Data("errand".utf8), as: .keyCheck)
      try? check.write(to: lab.outbox.appending(path: "key-check"))
    }
    let error = await #expect(throws: OutboxError.self) { try await lab.storage(.random()).open() }
    #expect(error?.code == .wrongKey)
    try await lab.storage(first).open()
  }
}
