import ErrandCore
import FileCalls
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// Failing file calls, and races with another process. (The power-loss program tests losses of power.)
@Suite(.enabled(if: FileCalls.isAvailable)) struct UnluckyDiskTests {
  private let harness: StorageHarness
  private let calls: FileCalls

  init() throws {
    harness = try StorageHarness()
    calls = try FileCalls(in: harness.url(".").standardizedFileURL.path)
  }

  @Test func `a file that cannot be flushed is not stored, and the failure is reported`() async throws {
    let file = try harness.file("f", .seeded(100_000))
    calls.failFlushes()
    let error = await #expect(throws: OutboxError.self) {
      try await harness.row(.put("https://example.com", .file(file)))
    }
    #expect(error?.code == .failed)
    #expect(harness.fileNames.isEmpty)
  }

  @Test func `of two first keys that an outbox is given concurrently, the second is refused`() async throws {
    let first = OutboxKey.random()
    calls.beforeLink { [harness] in
      let check = ContentSeal(first).wrap(Data("errand".utf8), as: .keyCheck)
      try? check.write(to: harness.outbox.appending(path: "key-check"))
    }
    let error = await #expect(throws: OutboxError.self) { try await harness.storage(.random()).open() }
    #expect(error?.code == .wrongKey)
    try await harness.storage(first).open()
  }
}
