import ErrandCore
import ErrandTesting

/// Serves notes, of which each write makes another version. A write has another URL than its note, so that only
/// `invalidating` connects them.
final class NoteServer: Sendable {
  private struct State {
    var versions: [Int: Int] = [:]
    var served: [Int: Int] = [:]
  }

  static let count = 2
  private static let (reads, writes) = ("/note/", "/write/")
  private let state = Locked(State())

  static func path(reading note: Int) -> String { "\(reads)\(note)" }
  static func path(writing note: Int) -> String { "\(writes)\(note)" }

  /// The version of the note in each response, and after each write, by the indices of their attempts.
  var served: [Int: Int] { state.withLock { $0.served } }

  /// Returns the response; nil if the request is not for a note.
  func response(to arrived: SimulatedAttempt) -> SimulatedResponse? {
    let isWrite = arrived.path.hasPrefix(Self.writes)
    guard isWrite || arrived.path.hasPrefix(Self.reads),
      let note = arrived.path.split(separator: "/").last.flatMap({ Int($0) })
    else { return nil }
    state.withLock { state in
      if isWrite { state.versions[note, default: 0] += 1 }
      state.served[arrived.index] = state.versions[note] ?? 0
    }
    return SimulatedResponse(text: Echo.text(of: arrived.index, length: note * 10))
  }
}
