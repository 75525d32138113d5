import Foundation
import Programs
import Testing

@testable import ErrandOutbox

@Suite struct OwnerRegistryTests {
  private let folder = StoreTestFolder()

  init() throws {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
  }

  private func registry() throws -> FileOwnerRegistry { try FileOwnerRegistry(folder: folder.url.path) }

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
    #expect(try names == [one.name + ".lock"])
  }

  @Test func `an owner that is let go is gone`() throws {
    let one = try registry()
    let name = try registry().name
    #expect(!one.isAlive(name))
  }

  @Test func `a file that nobody locks is that of one who is gone, and is removed`() throws {
    let one = try registry()
    try Data().write(to: folder.url.appending(path: "dead.lock"))
    #expect(!one.isAlive("dead"))
    #expect(try names == [one.name + ".lock"])
    try Data().write(to: folder.url.appending(path: "dead.lock"))
    let two = try registry()
    #expect(try Set(names) == [one.name + ".lock", two.name + ".lock"])
  }

  /// Else that program, which may run for long, would keep its lock for an owner that has died.
  @Test(.enabled(if: Program.canSeeInheritance))
  func `a program that is started does not inherit an owner's lock`() throws {
    let one = try registry()
    let inherited = try Program.inheritedFiles()
    #expect(inherited.contains("/dev/null"))
    #expect(!inherited.contains { $0.contains(one.name) })
  }

  @Test func `many come and go at once, and none is taken for gone`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<50 {
            let one = try FileOwnerRegistry(folder: folder.url.path)
            let two = try FileOwnerRegistry(folder: folder.url.path)
            #expect(one.isAlive(two.name) && two.isAlive(one.name))
            one.leave()
            #expect(!two.isAlive(one.name))
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
