import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct BodiesFolderTests {
  private static func open(_ name: String, in folder: URL, bodies: String? = "bodies") async throws -> Outbox
  {
    var configuration = OutboxConfiguration()
    configuration.delivers = false
    return try await Outbox(
      at: folder.appending(path: name), bodies: bodies.map { folder.appending(path: $0) },
      client: Client(transport: StubTransport { _ in .response() }), configuration: configuration)
  }

  @Test func `a second outbox is refused the folder of bodies, and the first keeps its files`() async throws {
    try await TemporaryFolder.using { (folder: URL) async throws in
      let first = try await Self.open("first", in: folder)
      try await first.enqueue(.post("http://a.test/", .bytes(Data(count: 100_000))))
      await first.close()
      let files = folder.appending(path: "bodies/files")
      let before = try FileManager.default.contentsOfDirectory(atPath: files.path).sorted()
      let error = await #expect(throws: OutboxError.self) { _ = try await Self.open("second", in: folder) }
      #expect("\(String(describing: error))".contains("has the bodies of another outbox"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).sorted() == before)
      // The same outbox opens its folder again.
      await (try await Self.open("first", in: folder)).close()
    }
  }

  @Test func `the folder of another outbox is no folder of bodies`() async throws {
    try await TemporaryFolder.using { (folder: URL) async throws in
      await (try await Self.open("first", in: folder, bodies: nil)).close()
      await #expect(throws: OutboxError.self) {
        _ = try await Self.open("second", in: folder, bodies: "first")
      }
      // Its own folder is.
      await (try await Self.open("first", in: folder, bodies: "./first/")).close()
    }
  }

  @Test func `processes that open an outbox at once agree`() async throws {
    try await TemporaryFolder.using { (folder: URL) async throws in
      try await withThrowingTaskGroup(of: Outbox.self) { group in
        for _ in 0..<8 { group.addTask { try await Self.open("first", in: folder) } }
        for try await outbox in group { await outbox.close() }
      }
    }
  }
}
