import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite(.timeLimit(.minutes(1))) struct BodiesFolderTests {
  private static func open(_ name: String, in folder: URL, bodies: String? = "bodies") async throws -> Outbox
  {
    var configuration = OutboxConfiguration()
    configuration.delivers = false
    configuration.delivery.backoff = .milliseconds(20)
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

  /// An outbox with a stored request whose body is in the folder `bodies`.
  private static func store(in folder: URL) async throws {
    let outbox = try await open("first", in: folder)
    try await outbox.enqueue(.post("http://a.test/", .bytes(Data(count: 100_000))))
    await outbox.close()
  }

  private static func contents(_ name: String, in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path).sorted()
  }

  @Test func `an empty folder in the place of the stored bodies is refused and not changed`() async throws {
    try await TemporaryFolder.using { (folder: URL) async throws in
      try await Self.store(in: folder)
      let (bodies, disk) = (folder.appending(path: "bodies"), folder.appending(path: "disk"))
      // As at a start before the disk is mounted.
      try FileManager.default.moveItem(at: bodies, to: disk)
      try FileManager.default.createDirectory(at: bodies, withIntermediateDirectories: false)
      let error = await #expect(throws: OutboxError.self) { _ = try await Self.open("first", in: folder) }
      #expect(error?.message.contains("mount its disk") == true)
      #expect(try Self.contents("bodies", in: folder).isEmpty)
      try FileManager.default.removeItem(at: bodies)
      try FileManager.default.moveItem(at: disk, to: bodies)
      let outbox = try await Self.open("first", in: folder)
      #expect(try await outbox.list().map(\.state) == [.stored])
      outbox.deliver()
      try await outbox.waitUntilEmpty()
      #expect(try await outbox.list(OutboxSelection(states: [.delivered])).count == 1)
      await outbox.close()
    }
  }

  @Test func `while bodies are stored, their folder must be passed and no other`() async throws {
    try await TemporaryFolder.using { (folder: URL) async throws in
      try await Self.store(in: folder)
      let forgotten = await #expect(throws: OutboxError.self) {
        _ = try await Self.open("first", in: folder, bodies: nil)
      }
      #expect(forgotten?.message.contains("pass that folder, too") == true)
      await #expect(throws: OutboxError.self) {
        _ = try await Self.open("first", in: folder, bodies: "other")
      }
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "other").path))

      let outbox = try await Self.open("first", in: folder)
      outbox.deliver()
      try await outbox.waitUntilEmpty()
      await outbox.close()
      // Without stored bodies, the folder may change. Then the former one has none.
      let moved = try await Self.open("first", in: folder, bodies: "other")
      try await moved.enqueue(.post("http://a.test/", .bytes(Data(count: 100_000))))
      await moved.close()
      let former = await #expect(throws: OutboxError.self) { _ = try await Self.open("first", in: folder) }
      #expect(former?.message.contains("earlier folder of bodies") == true)
    }
  }

  @Test func `bodies in the outbox's own folder are not left for a separate one`() async throws {
    try await TemporaryFolder.using { (folder: URL) async throws in
      let outbox = try await Self.open("first", in: folder, bodies: nil)
      try await outbox.enqueue(.post("http://a.test/", .bytes(Data(count: 100_000))))
      await outbox.close()
      let error = await #expect(throws: OutboxError.self) { _ = try await Self.open("first", in: folder) }
      #expect(error?.message.contains("without a folder of bodies until they") == true)
      await (try await Self.open("first", in: folder, bodies: nil)).close()
    }
  }

  @Test func `the folder of an outbox of an earlier version is known by its number`() async throws {
    try await TemporaryFolder.using { (folder: URL) async throws in
      try await Self.store(in: folder)
      let number = try Data(contentsOf: folder.appending(path: "first/bodies-of"))
      try number.write(to: folder.appending(path: "bodies/bodies-of"))
      let database = try Database(
        path: folder.appending(path: "first/outbox.sqlite").path, busyTimeout: .seconds(5))
      try database.execute("DELETE FROM meta WHERE key = 'bodies'")
      database.close()
      await #expect(throws: OutboxError.self) { _ = try await Self.open("first", in: folder, bodies: nil) }
      await (try await Self.open("first", in: folder)).close()
    }
  }

  @Test func `a disk that goes away while the outbox is open costs no request, and none is accepted for it`()
    async throws
  {
    try await TemporaryFolder.using { (folder: URL) async throws in
      let outbox = try await Self.open("first", in: folder)
      let receipt = try await outbox.enqueue(.post("http://a.test/", .bytes(Data(count: 100_000))))
      let (bodies, disk) = (folder.appending(path: "bodies"), folder.appending(path: "disk"))
      try FileManager.default.moveItem(at: bodies, to: disk)
      try FileManager.default.createDirectory(at: bodies, withIntermediateDirectories: false)
      let refused = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue(.post("http://a.test/", .bytes(Data(count: 100_000))))
      }
      #expect(refused?.code == .notWritable)
      outbox.deliver()
      try await waitUntil {
        let entry = try await receipt.status()
        return entry?.state == .stored && entry?.reason != nil
      }
      #expect(try await receipt.status()?.reason?.contains("mount its disk") == true)
      #expect(try Self.contents("bodies", in: folder).isEmpty)
      try FileManager.default.removeItem(at: bodies)
      try FileManager.default.moveItem(at: disk, to: bodies)
      #expect(try await receipt.outcome().response != nil)
      await outbox.close()
    }
  }

  @Test func `a process that uses another folder of bodies stores none`() async throws {
    try await TemporaryFolder.using { (folder: URL) async throws in
      let first = try await Self.open("first", in: folder)
      let other = try await Self.open("first", in: folder, bodies: nil)
      let error = await #expect(throws: OutboxError.self) {
        try await first.enqueue(.post("http://a.test/", .bytes(Data(count: 100_000))))
      }
      #expect(error?.message.contains("another folder of bodies") == true)
      // Small bodies are in the database.
      try await first.enqueue(.post("http://a.test/", .bytes(Data(count: 100))))
      try await other.enqueue(.post("http://a.test/", .bytes(Data(count: 100_000))))
      for outbox in [first, other] { await outbox.close() }
    }
  }
}
