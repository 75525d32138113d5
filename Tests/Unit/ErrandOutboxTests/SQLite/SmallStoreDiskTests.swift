#if os(Linux)
  import Foundation
  import Glibc
  import Testing

  @testable import ErrandOutbox
  @testable import ErrandOutboxSQLite
  @testable import ErrandConformance
  @testable import ErrandTesting

  /// Mounts small disks, which only root can do.
  @Suite(.enabled(if: geteuid() == 0, "a file system cannot be mounted without root"))
  struct SmallStoreDiskTests {
    private let folder = StoreTestFolder()

    private func withSmallDisk(_ body: () async throws -> Void) async throws {
      try folder.make()
      guard let disk = SmallDisk(at: folder.url.path) else {
        return print("skipped: no file system can be mounted")
      }
      defer { disk.unmount() }
      try await body()
    }

    private func failure(_ body: () async throws -> Void) async throws -> OutboxError {
      try #require(await #expect(throws: OutboxError.self) { try await body() })
    }

    @Test func `a full disk is an error that loses nothing, and the store continues afterwards`() async throws
    {
      try await withSmallDisk {
        let store = try await folder.open()
        let filler = folder.url.appending(path: "filler")
        try Data(count: 400_000).write(to: filler)
        var stored: [String] = []
        var error: OutboxError?
        for number in 0..<40 where error == nil {
          do {
            try await store.add(.sample("\(number)", size: 30_000))
            stored.append("\(number)")
          } catch let failure as OutboxError {
            error = failure
          }
        }
        #expect(error?.code == .diskFull)
        #expect(error?.description.contains(folder.database.path) == true)
        #expect(!stored.isEmpty)
        #expect(try await store.names() == stored)
        try FileManager.default.removeItem(at: filler)
        try await store.add(.sample("more", size: 30_000))
        stored.append("more")
        #expect(try await store.names() == stored)
        let claim = try await store.claim(100, for: .seconds(1))
        #expect(claim.rows.map(\.row.id.rawValue) == stored)
        #expect(claim.deadLettered.isEmpty)
        await store.close()
      }
    }

    @Test func `a store checkpoints its log after a full disk, and then needs no additional disk space`()
      async throws
    {
      try await withSmallDisk {
        let store = try await folder.open()
        let ballast = Ballast(path: folder.url.appending(path: "ballast").path)
        ballast.fill(600_000)
        var code: OutboxError.Code?
        while code == nil {
          do {
            try await store.add(.sample(UUID().uuidString, size: 30_000))
          } catch {
            code = (error as? OutboxError)?.code ?? .failed
          }
        }
        #expect(code == .diskFull)
        ballast.drop()
        let claim = try await store.claim(1, for: .seconds(60))
        // The next operation runs after the checkpoint.
        _ = try await store.statistics()
        let file = try FileManager.default.attributesOfItem(atPath: folder.database.path)
        #expect(try #require(file[.size] as? Int) > 100_000)
        ballast.fill()
        let ends = claim.rows.map {
          FinishedAttempt(lease: $0.lease, outcome: .delivered(response: Data([1])))
        }
        #expect(try await store.finish(ends).map(\.row?.state) == [.delivered])
        await store.close()
      }
    }

    @Test func `a full disk fails all operations of a transaction, and none is stored partly`() async throws {
      try await withSmallDisk {
        let store = try await folder.open()
        let outcomes = await withTaskGroup(of: (String, OutboxError.Code?).self) { group in
          for number in 0..<40 {
            group.addTask {
              do {
                try await store.add(.sample("\(number)", size: 60_000))
                return ("\(number)", nil)
              } catch {
                return ("\(number)", (error as? OutboxError)?.code ?? .failed)
              }
            }
          }
          return await group.reduce(into: [String: OutboxError.Code?]()) { $0[$1.0] = .some($1.1) }
        }
        let stored = outcomes.filter { $0.value == nil }.keys
        #expect(try await Set(store.names()) == Set(stored))
        #expect(outcomes.values.compactMap { $0 }.allSatisfy { $0 == .diskFull })
        #expect(stored.count < 40)
        await store.close()
      }
    }

    @Test func `a disk that is full from the start is a diskFull error`() async throws {
      try await withSmallDisk {
        try? Data(count: 2_000_000).write(to: folder.url.appending(path: "filler"))
        let error = try await failure { _ = try await folder.open() }
        #expect(error.code == .diskFull)
      }
    }

    @Test func `a read-only folder is a notWritable error, and nothing is lost`() async throws {
      try await withSmallDisk {
        let store = try await folder.open()
        try await store.add(.sample("a"))
        await store.close()
        guard remount(UInt(MS_REMOUNT | MS_RDONLY)) else {
          return print("skipped: no file system can be made read-only")
        }
        let error = try await failure { _ = try await folder.open() }
        #expect(error.code == .notWritable)
        #expect(error.description.contains(folder.url.path))
        #expect(remount(UInt(MS_REMOUNT)))
        let again = try await folder.open()
        #expect(try await again.names() == ["a"])
        await again.close()
      }
    }

    private func remount(_ flags: UInt) -> Bool {
      mount("tmpfs", folder.url.path, "tmpfs", flags, "size=1m") == 0
    }
  }
#endif
