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
    private let lab: OutboxLab
    private var server: MockServer { lab.server }

    init() throws {
      lab = try OutboxLab()
      server.on("/") { _ in .answer() }
    }

    /// Until it is unmounted nobody can write there, root included.
    private func makeReadOnly(_ folder: URL) throws {
      let (bind, remount, readOnly): (UInt, UInt, UInt) = (4096, 32, 1)
      try #require(mount(folder.path, folder.path, nil, bind, nil) == 0)
      try #require(mount(nil, folder.path, nil, bind | remount | readOnly, nil) == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "a mount takes root"))
    func `a read-only folder is an error that says so, and what was accepted before is delivered after it`()
      async throws
    {
      let large = Body.bytes(Data(repeating: 1, count: 100_000))
      let before = try await lab.outbox { $0.delivers = false }
      try await before.enqueue([.post(server.url("/"), .text("small")), .post(server.url("/"), large)])
      await before.close()
      try makeReadOnly(lab.folder)
      do {
        defer { umount2(lab.folder.path, Int32(MNT_DETACH)) }
        let error = await #expect(throws: OutboxError.self) { _ = try await lab.outbox() }
        #expect(error?.code == .notWritable)
        #expect(error?.description.contains(lab.folder.path) == true)
      }
      let after = try await lab.outbox()
      try await after.waitUntilEmpty()
      #expect(Set(lab.keys()).count == 2 && lab.keys().count == 2)
      await after.close()
    }

    @Test func `where files cannot be stored, requests without any still go`() async throws {
      let outbox = try await lab.outbox()
      let files = lab.folder.appending(path: "files")
      try? FileManager.default.removeItem(at: files)
      try Data("in the way".utf8).write(to: files)
      let error = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue(.post(server.url("/"), .bytes(Data(count: 100_000))))
      }
      #expect(error?.code == .notWritable)
      let small = try await outbox.enqueue(.post(server.url("/"), .text("small")))
      #expect(try await small.outcome().answer != nil)
      #expect(server.count("/") == 1)
      try FileManager.default.removeItem(at: files)
      let large = try await outbox.enqueue(.post(server.url("/"), .bytes(Data(count: 100_000))))
      #expect(try await large.outcome().answer != nil)
      await outbox.close()
    }
  }
#endif
