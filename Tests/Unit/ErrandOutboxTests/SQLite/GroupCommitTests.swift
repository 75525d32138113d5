import Dispatch
import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite struct GroupCommitTests {
  private let folder = StoreTestFolder(isOnDisk: false)
  private let commits = Counter()
  private let log = OutcomeLog()

  private struct Refusal: Error {}

  private func operation<Value: Sendable>(
    _ body: @escaping @Sendable (OutboxTables) throws -> Value
  ) -> StoreOperation {
    StoreOperation(isWrite: true, body, receive: log.add)
  }

  private func adding(_ id: String) -> StoreOperation {
    operation { try $0.add([.sample(id)], within: OutboxCaps(), at: .sample) }
  }

  private func names(_ session: StoreSession) throws -> [String] {
    try session.tables.list(.all, after: 0, limit: .max).map(\.id.rawValue)
  }

  @Test func `operations that wait together are committed together, in bounded groups`() throws {
    let session = try folder.session(commits)
    for (count, transactions) in [(1, 1), (64, 1), (256, 1), (257, 2), (600, 3)] {
      let before = commits.value
      var told = 0
      session.perform((0..<count).map { adding("\(count) \($0)") }) { reply in
        reply()
        told += 1
      }
      #expect(commits.value - before == transactions)
      #expect(told == count)
      #expect(log.takeFailures().allSatisfy { $0 == nil })
    }
    #expect(try names(session).count == 1 + 64 + 256 + 257 + 600)
  }

  @Test func `a transaction adds a bounded number of requests, unless one call adds more`() throws {
    let session = try folder.session(commits)
    func adding(_ count: Int, _ name: String) -> StoreOperation {
      StoreOperation(isWrite: true, newRows: count) {
        try $0.add((0..<count).map { .sample("\(name) \($0)") }, within: OutboxCaps(), at: .sample)
      } receive: { [log] in
        log.add($0)
      }
    }
    session.perform((0..<5).map { adding(200, "\($0)") }) { $0() }
    #expect(commits.value == 3)
    session.perform([adding(1, "before"), adding(600, "large"), adding(1, "after")]) { $0() }
    #expect(commits.value == 6)
    #expect(log.takeFailures().allSatisfy { $0 == nil })
    #expect(try names(session).count == 1602)
  }

  @Test func `claims and ends of attempts are committed before new requests`() throws {
    let session = try folder.session(commits)
    let order = Locked<[String]>([])
    func operation(_ name: String, newRows: Int) -> StoreOperation {
      StoreOperation(isWrite: true, newRows: newRows) { _ in
      } receive: { _ in
        order.withLock { $0.append(name) }
      }
    }
    session.perform([
      operation("add", newRows: 300), operation("claim", newRows: 0), operation("add", newRows: 300),
      operation("finish", newRows: 0),
    ]) { $0() }
    #expect(order.withLock { $0 } == ["claim", "finish", "add", "add"])
  }

  @Test func `a read does not wait for the commit of a write that arrived before it`() throws {
    let session = try folder.session(commits)
    let commitsAtRead = Locked<Int?>(nil)
    let read = StoreOperation(isWrite: false) { _ in
    } receive: { [commits] _ in
      commitsAtRead.withLock { $0 = commits.value }
    }
    session.perform([adding("a"), read]) { $0() }
    #expect(commitsAtRead.withLock { $0 } == 0)
    #expect(commits.value == 1)
  }

  @Test func `callers that arrive while the thread is busy share one transaction`() async throws {
    let (folder, commits) = (folder, commits)
    let runner = try await ThreadRunner.start { try folder.session(commits) }
    let gate = DispatchSemaphore(value: 0)
    await withCheckedContinuation { begun in
      runner.submit(
        operation { _ in
          begun.resume()
          gate.wait()
        })
    }
    let (told, tell) = AsyncStream.makeStream(of: Bool.self)
    for number in 0..<64 {
      runner.submit(
        StoreOperation(isWrite: true) {
          try $0.add([.sample("\(number)")], within: OutboxCaps(), at: .sample)
        } receive: {
          tell.yield((try? $0.get()) != nil)
        })
    }
    gate.signal()
    var iterator = told.makeAsyncIterator()
    for _ in 0..<64 { #expect(await iterator.next() == true) }
    #expect(commits.value == 2)
    await withCheckedContinuation { done in runner.close(isGraceful: true) { done.resume() } }
  }

  @Test func `no operation is reported before the commit`() throws {
    let session = try folder.session(commits)
    session.perform([adding("a"), adding("b")]) { _ in
      #expect(commits.value == 1)
      let names = try? names(session)
      #expect(names == ["a", "b"])
    }
  }

  @Test func `only the operation that throws is rolled back`() throws {
    let session = try folder.session(commits)
    let failing = operation { tables in
      _ = try tables.add([.sample("half"), .sample("done")], within: OutboxCaps(), at: .sample)
      throw Refusal()
    }
    session.perform([adding("a"), failing, adding("b"), failing, adding("c")]) { $0() }
    #expect(log.takeFailures().map { $0 is Refusal } == [false, true, false, true, false])
    #expect(try names(session) == ["a", "b", "c"])
    #expect(commits.value == 1)
    #expect(try session.tables.statistics().counts == [.stored: 3])
  }

  @Test func `a rolled-back operation takes no capacity and no sequence number`() throws {
    let session = try folder.session(commits)
    var limits = OutboxCaps()
    limits.count = 4
    let caps = limits
    func adding(_ ids: String...) -> StoreOperation {
      operation { try $0.add(ids.map { .sample($0) }, within: caps, at: .sample) }
    }
    let failing = operation { tables in
      _ = try tables.add([.sample("half"), .sample("done")], within: caps, at: .sample)
      throw Refusal()
    }
    session.perform([adding("a")]) { _ in }
    for operations in [[failing], [failing, adding("b"), failing], [adding("c", "d")]] {
      session.perform(operations) { _ in }
    }
    session.perform([adding("e")]) { $0() }
    #expect(log.takeFailures().map { ($0 as? OutboxError)?.code } == [.full])
    #expect(try session.tables.list(.all, after: 0, limit: 9).map(\.sequence) == [1, 2, 3, 4])
    #expect(try names(session) == ["a", "b", "c", "d"])
  }

  @Test func `an operation that throws before it changes anything does not affect the others`() throws {
    let session = try folder.session(commits)
    let failing = operation { _ in throw Refusal() }
    session.perform([adding("a"), failing, adding("b")]) { $0() }
    #expect(log.takeFailures().map { $0 is Refusal } == [false, true, false])
    #expect(try names(session) == ["a", "b"])
    #expect(commits.value == 1)
  }

  @Test func `a single operation that throws is rolled back`() throws {
    let session = try folder.session(commits)
    let failing = operation { tables in
      _ = try tables.add([.sample("a")], within: OutboxCaps(), at: .sample)
      throw Refusal()
    }
    session.perform([failing]) { $0() }
    #expect(log.takeFailures().map { $0 is Refusal } == [true])
    #expect(try names(session).isEmpty)
    #expect(commits.value == 0)
  }

  @Test func `a rolled-back record of the machine's boot is written again`() throws {
    let session = try folder.session(commits)
    let failing = operation { tables in
      _ = try tables.add([.sample("a")], within: OutboxCaps(), at: .sample)
      throw Refusal()
    }
    session.perform([failing]) { _ in }
    #expect(session.tables.knownBoot == nil)
    session.perform([failing, adding("b")]) { _ in }
    #expect(try session.tables.text(.boot) == "boot")
  }
}

/// The results of operations: their failures, or nil, in the order in which their callers were notified.
final class OutcomeLog: Sendable {
  private let failures = Locked<[(any Error)?]>([])

  func add<Value>(_ result: Result<Value, any Error>) {
    let failure: (any Error)? = if case .failure(let error) = result { error } else { nil }
    failures.withLock { $0.append(failure) }
  }

  /// Returns the rows that were added since the last call.
  func takeFailures() -> [(any Error)?] {
    failures.withLock { failures in
      defer { failures = [] }
      return failures
    }
  }
}
