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

/// A server that takes parcels and writes each one down. Now and then it is busy, and now and then nobody hears that it has
/// taken one.
package final class Depot: Sendable {
  private let server: MockServer
  private let checksHands: Bool
  private let state: Locked<(ledger: DepotLedger, random: SeededRandom)>
  private let start = ContinuousClock.now

  /// - Parameter checksHands: Whether a parcel may not come while another try of it is under way. Where the way there can
  ///   break, what was sent long ago may come at any time.
  package init(_ server: MockServer, seed: UInt64, checksHands: Bool = true) {
    self.server = server
    self.checksHands = checksHands
    state = Locked((DepotLedger(), SeededRandom(seed: seed)))
    server.on(Parcel.path + "*") { [weak self] request in self?.answer(request) ?? .close }
  }

  package var ledger: DepotLedger { state.withLock { $0.ledger } }

  private func answer(_ request: MockRequest) -> MockAnswer {
    let now = ContinuousClock.now - start
    return state.withLock { state in
      guard let parcel = Parcel(path: request.path), let key = request.fields["Idempotency-Key"],
        let sender = request.fields[Parcel.senderField].flatMap({ Int($0) })
      else {
        state.ledger.note("\(request) has no key, no number or no sender")
        return .answer(status: 400)
      }
      let luck = Int.random(in: 0..<100, using: &state.random)
      let closesAtOnce = (5..<10).contains(luck)
      let hold =
        closesAtOnce ? .zero : Duration.microseconds(Int.random(in: 0..<4000, using: &state.random))
      state.ledger.arrive(
        parcel, key: key, body: request.body, group: Self.group(of: request), sender: sender,
        isTaken: luck >= 10, at: now, hold: hold, isRunning: { checksHands && Self.isRunning($0) })
      return switch luck {
      case ..<5: .answer(status: 503).pausing(hold)
      case _ where closesAtOnce: .close
      // Taken, and nobody hears of it.
      case ..<16: .answer().pausing(hold).closing(at: .start)
      case ..<20: .answer(status: 500).pausing(hold)
      default: .answer().pausing(hold)
      }
    }
  }

  private static func group(of request: MockRequest) -> ClosedRange<Int>? {
    let ends = request.fields[Parcel.groupField]?.split(separator: "-").compactMap { Int($0) } ?? []
    return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
  }

  /// False from the moment at which it begins to end: its locks may be gone before it is.
  private static func isRunning(_ process: Int) -> Bool {
    #if os(Linux)
      guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let name = text.lastIndex(of: ")")
      else { return false }
      // Behind the name: the state, five numbers, and the flags (proc(5)).
      let words = text[text.index(after: name)...].split(separator: " ")
      guard words.count > 6, let flags = UInt(words[6]) else { return false }
      let isExiting: UInt = 0x4
      return words[0] != "Z" && words[0] != "X" && flags & isExiting == 0
    #else
      return kill(pid_t(process), 0) == 0
    #endif
  }
}
