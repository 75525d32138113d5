import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandURLSession

@Suite struct BodySpoolTests {
  /// A body that has 100 bytes, and then waits forever.
  private final class WaitingReader: BodyReader {
    private let state = Locked<(sent: Bool, handler: (@Sendable () -> Void)?)>((false, nil))
    let waits = Locked(false)

    var length: Int64? { nil }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
      let isFirst = state.withLock { state in
        defer { state.sent = true }
        return !state.sent
      }
      guard isFirst else {
        waits.withLock { $0 = true }
        return .notYet
      }
      for index in 0..<100 { buffer[index] = 1 }
      return .bytes(100)
    }

    func onReady(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.handler = handler } }

    func close() {
      let handler = state.withLock { state in
        defer { state.handler = nil }
        return state.handler
      }
      // Releases the handler, and the spool with it, outside the lock.
      _ = handler
    }
  }

  @Test func `a spool that is released while its body waits for more bytes removes its file`() async throws {
    let folder = try TemporaryFolder()
    let reader = WaitingReader()
    BodySpool(reader, memoryLimit: 10, folder: folder.url) {
      true
    } then: { _ in
    }.run()
    while !reader.waits.withLock({ $0 }) { await Task.yield() }
    #expect(try folder.names.count == 1)
    reader.close()
    // The queue may retain the spool for a moment.
    while try !folder.names.isEmpty { await Task.yield() }
  }
}
