import ErrandCore
import Foundation
import Programs
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite struct LivenessRegistryTests {
  private let folder = StoreTestFolder()

  init() throws {
    try folder.make()
  }

  private func registry() throws -> FileLivenessRegistry { try FileLivenessRegistry(folder: folder.url.path) }

  private var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix(".lock") }
    }
  }

  @Test func `owners see each other until they leave`() throws {
    let (one, two) = (try registry(), try registry())
    #expect(one.name != two.name)
    #expect(one.isAlive(one.name) && one.isAlive(two.name) && two.isAlive(one.name))
    two.leave()
    two.leave()
    #expect(!one.isAlive(two.name))
    #expect(!two.isAlive(two.name))
    one.tidy(keeping: [two.name])
    #expect(!one.isAlive(two.name))
    one.tidy(keeping: [])
    #expect(try names == [one.name + ".lock"])
  }

  @Test func `a released owner no longer exists`() throws {
    let one = try registry()
    let name = try registry().name
    #expect(!one.isAlive(name))
  }

  @Test func `an unlocked file means that its owner has died, as long as the file exists`() throws {
    let one = try registry()
    let dead = UUID().uuidString
    try Data().write(to: folder.url.appending(path: "\(dead).lock"))
    for _ in 0..<2 { #expect(!one.isAlive(dead)) }
    let two = try registry()
    two.tidy(keeping: [dead])
    #expect(!one.isAlive(dead))
    two.tidy(keeping: [])
    #expect(try Set(names) == [one.name + ".lock", two.name + ".lock"])
  }

  @Test func `files that no owner has created are not changed`() throws {
    let mine = ["notes.lock", "notes.sending", "notes.bell", "notes"]
    for name in mine { try Data("mine".utf8).write(to: folder.url.appending(path: name)) }
    let one = try registry()
    one.tidy(keeping: [])
    PipeChangeNotifier(folder: folder.url.path, owner: one.name).ring()
    for name in mine {
      #expect(try Data(contentsOf: folder.url.appending(path: name)) == Data("mine".utf8), "\(name)")
    }
  }

  /// Otherwise the program, which may run for a long time, would hold the lock of an owner that has died.
  @Test(.enabled(if: Program.canSeeInheritance))
  func `a started program does not inherit an owner's lock`() throws {
    let one = try registry()
    let inherited = try Program.inheritedFiles()
    #expect(inherited.contains("/dev/null"))
    #expect(!inherited.contains { $0.contains(one.name) })
  }

  @Test func `an owner whose file was removed does not count as dead`() throws {
    let (one, two) = (try registry(), try registry())
    try FileManager.default.removeItem(at: folder.url.appending(path: two.name + ".lock"))
    one.tidy(keeping: [])
    #expect(one.isAlive(two.name) && two.isAlive(two.name))
    #expect(one.isAlive("never seen"))
  }

  @Test func `an owner that calls leaveNothing leaves no file`() throws {
    let (one, two) = (try registry(), try registry())
    two.leaveNothing()
    two.leave()
    #expect(try names == [one.name + ".lock"])
  }

  @Test func `a living store's claim is not given to another store when its lock file is removed`()
    async throws
  {
    let (one, two) = (try await folder.open(), try await folder.open())
    try await one.add(.sample("a"))
    let lease = try #require(try await one.claim(1, for: .seconds(60)).rows.first?.lease)
    let owners = folder.url.appending(path: "owners")
    for name in try FileManager.default.contentsOfDirectory(atPath: owners.path) {
      try FileManager.default.removeItem(at: owners.appending(path: name))
    }
    let three = try await folder.open()
    for store in [two, three] {
      let claim = try await store.claim(1, for: .seconds(60))
      #expect(claim.rows.isEmpty && claim.recovered.isEmpty)
    }
    // Another store may claim the row when the lease has expired.
    folder.time.withLock { $0.ticks += 60_000 }
    #expect(try await two.claim(1, for: .seconds(60)).rows.map(\.row.id) == [lease.id])
    for store in [one, two, three] { await store.close() }
  }

  @Test func `the claim of a dead process is recovered at once, even if another store was opened before`()
    async throws
  {
    let one = try await folder.open()
    try await one.add(.sample("a"))
    #expect(try await one.claim(1, for: .seconds(60)).rows.count == 1)
    await one.abandon()
    let two = try await folder.open()
    _ = try await two.statistics()
    await two.close()
    let three = try await folder.open()
    #expect(try await three.claim(1, for: .seconds(60)).rows.count == 1)
    await three.close()
    let four = try await folder.open()
    let owners = try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/owners")
    #expect(Set(owners.map { $0.prefix { $0 != "." } }).count == 1)
    await four.close()
  }

  #if os(Linux)
    @Test func `an owner that has left counts as dead, even if a process being started has its file open`()
      throws
    {
      let one = try FileLivenessRegistry(folder: folder.url.path)
      let two = try FileLivenessRegistry(folder: folder.url.path)
      let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        .filter {
          let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
          return file?.contains(one.name) == true && file?.hasSuffix(BegunLeases.suffix) == false
        }
        .map { dup($0) }
      #expect(copies.count == 1)
      one.leave()
      #expect(!two.isAlive(one.name))
      for copy in copies { close(copy) }
    }
  #endif

  @Test func `owners come and go concurrently, and no living one counts as dead`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let mistakes = try await OwnThread.run {
            try (0..<50).count { _ in
              let one = try FileLivenessRegistry(folder: folder.url.path)
              let two = try FileLivenessRegistry(folder: folder.url.path)
              let bothLive = one.isAlive(two.name) && two.isAlive(one.name)
              one.leave()
              return !bothLive || two.isAlive(one.name)
            }
          }
          #expect(mistakes == 0)
        }
      }
      try await group.waitForAll()
    }
  }
}
