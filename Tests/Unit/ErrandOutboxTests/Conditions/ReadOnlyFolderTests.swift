#if os(Linux)
  import ErrandCore
  import ErrandTesting
  import Foundation
  import Testing

  @testable import ErrandOutbox

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  @Suite(.timeLimit(.minutes(1))) struct ReadOnlyFolderTests {
    private let harness: OutboxHarness
    private var server: MockServer { harness.server }

    init() throws {
      harness = try OutboxHarness()
      server.on("/") { _ in .response() }
    }

    /// Makes the folder read-only for every user, including root, until it is unmounted.
    private func makeReadOnly(_ folder: URL) throws {
      let (bind, remount, readOnly): (UInt, UInt, UInt) = (4096, 32, 1)
      try #require(mount(folder.path, folder.path, nil, bind, nil) == 0)
      try #require(mount(nil, folder.path, nil, bind | remount | readOnly, nil) == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "a mount needs root"))
    func `an outbox in a read-only folder fails to open, and delivers its requests when it is writable`()
      async throws
    {
      let large = RequestBody.bytes(Data(repeating: 1, count: 100_000))
      let before = try await harness.outbox { $0.delivers = false }
      try await before.enqueue([.post(server.url("/"), .text("small")), .post(server.url("/"), large)])
      await before.close()
      try makeReadOnly(harness.folder)
      do {
        defer { umount2(harness.folder.path, Int32(MNT_DETACH)) }
        let error = await #expect(throws: OutboxError.self) { _ = try await harness.outbox() }
        #expect(error?.code == .notWritable)
        #expect(error?.description.contains(harness.folder.path) == true)
      }
      let after = try await harness.outbox()
      try await after.waitUntilEmpty()
      #expect(Set(harness.keys()).count == 2 && harness.keys().count == 2)
      await after.close()
    }

    @Test func `an outbox that cannot store files still delivers requests without files`() async throws {
      let outbox = try await harness.outbox()
      let files = harness.folder.appending(path: "files")
      try? FileManager.default.removeItem(at: files)
      try Data("in the way".utf8).write(to: files)
      let error = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue(.post(server.url("/"), .bytes(Data(count: 100_000))))
      }
      #expect(error?.code == .notWritable)
      let small = try await outbox.enqueue(.post(server.url("/"), .text("small")))
      #expect(try await small.outcome().response != nil)
      #expect(server.count("/") == 1)
      try FileManager.default.removeItem(at: files)
      let large = try await outbox.enqueue(.post(server.url("/"), .bytes(Data(count: 100_000))))
      #expect(try await large.outcome().response != nil)
      await outbox.close()
    }
  }
#endif
