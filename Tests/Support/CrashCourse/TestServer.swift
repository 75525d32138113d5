import ErrandCore
package import ErrandTesting
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A server that records each test request. Sometimes it is busy, and sometimes it accepts a request and its
/// response is lost.
package final class TestServer: Sendable {
  private let server: MockServer
  private let checksHands: Bool
  private let state: Locked<(ledger: TestServerLedger, random: SeededRandom)>
  private let start = ContinuousClock.now

  /// - Parameter checksHands: Whether a request must not arrive during another attempt of it. On a network
  ///   that can fail, a request that was sent long ago may arrive at any time.
  package init(_ server: MockServer, seed: UInt64, checksHands: Bool = true) {
    self.server = server
    self.checksHands = checksHands
    state = Locked((TestServerLedger(), SeededRandom(seed: seed)))
    server.on(TestRequest.path + "*") { [weak self] request in self?.response(request) ?? .close }
  }

  package var ledger: TestServerLedger { state.withLock { $0.ledger } }

  private func response(_ request: MockRequest) -> MockResponse {
    let now = ContinuousClock.now - start
    return state.withLock { state in
      guard let expected = TestRequest(path: request.path), let key = request.fields["Idempotency-Key"],
        let sender = request.fields[TestRequest.senderField].flatMap({ Int($0) })
      else {
        state.ledger.note("\(request) has no key, no number or no sender")
        return .response(status: 400)
      }
      let luck = Int.random(in: 0..<100, using: &state.random)
      let closesAtOnce = (5..<10).contains(luck)
      let hold =
        closesAtOnce ? .zero : Duration.microseconds(Int.random(in: 0..<4000, using: &state.random))
      state.ledger.arrive(
        expected, key: key, body: request.body, group: Self.group(of: request), sender: sender,
        isTaken: luck >= 10, at: now, hold: hold, isRunning: { checksHands && Self.isRunning($0) })
      return switch luck {
      case ..<5: .response(status: 503).pausing(hold)
      case _ where closesAtOnce: .close
      // The request is accepted, and the response is lost.
      case ..<16: .response().pausing(hold).closing(at: .start)
      case ..<20: .response(status: 500).pausing(hold)
      default: .response().pausing(hold)
      }
    }
  }

  private static func group(of request: MockRequest) -> ClosedRange<Int>? {
    let ends = request.fields[TestRequest.groupField]?.split(separator: "-").compactMap { Int($0) } ?? []
    return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
  }

  /// Returns false once the process begins to exit: its locks may be released before it has ended.
  private static func isRunning(_ process: Int) -> Bool {
    #if os(Linux)
      guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let name = text.lastIndex(of: ")")
      else { return false }
      // After the name: the state, five numbers, and the flags (proc(5)).
      let words = text[text.index(after: name)...].split(separator: " ")
      guard words.count > 6, let flags = UInt(words[6]) else { return false }
      let isExiting: UInt = 0x4
      return words[0] != "Z" && words[0] != "X" && flags & isExiting == 0
    #else
      return kill(pid_t(process), 0) == 0
    #endif
  }
}
