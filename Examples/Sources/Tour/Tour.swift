import Errand
import ErrandTesting
import Foundation
import Synchronization

/// Demonstrates Errand's features against a server in this process that fails on purpose. Each step checks its results.
///
///     swift run Tour
@main struct Tour {
  static func main() async {
    // Without this, the environment could select a proxy for the server on this machine.
    setenv("NO_PROXY", "127.0.0.1", 1)
    let started = ContinuousClock.now
    say(
      "Errand \(ErrandVersion.current), tested against a server in this process that misbehaves on purpose.")
    var broken: [String] = []
    for (index, step) in TourStep.all.enumerated() {
      say("\n\(index + 1). \(step.title)")
      let notes = await step.perform()
      for note in notes { say(note.line) }
      if notes.contains(where: \.isBroken) { broken.append("\(index + 1). \(step.title)") }
    }
    if broken.isEmpty {
      say("\nAll \(TourStep.all.count) steps succeeded, in \(shown(started.duration(to: .now))).")
    } else {
      say("\nFailed:\n" + broken.map { "  \($0)" }.joined(separator: "\n"))
      exit(1)
    }
  }

  /// Prints a line without buffering, also to a pipe.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}

/// Formats a duration for people: `1.5 ms`, `250 ms`, `3.2 s`.
func shown(_ duration: Duration) -> String {
  let seconds = duration / .seconds(1)
  return seconds < 0.1
    ? String(format: "%.1f ms", seconds * 1000)
    : seconds < 1 ? String(format: "%.0f ms", seconds * 1000) : String(format: "%.1f s", seconds)
}

/// Formats a size for people: `1.5 kB`, `23.4 MB`.
func shown(bytes: Int) -> String {
  bytes < 1_000_000
    ? String(format: "%.1f kB", Double(bytes) / 1000) : String(format: "%.1f MB", Double(bytes) / 1_000_000)
}

/// One step of the tour, which demonstrates and checks a feature.
struct TourStep: Sendable {
  /// The time limit of a step.
  private static let limit = Duration.seconds(10)

  let title: String
  private let show: @Sendable (TourStage) async throws -> Void

  init(_ title: String, _ show: @escaping @Sendable (TourStage) async throws -> Void) {
    self.title = title
    self.show = show
  }

  static let all: [TourStep] = [
    .json, .keepAlive, .clearErrors,
    .retryAfter, .postOnce, .postWithKey,
    .cancelled, .stalled, .deadline, .credentials, .refreshedOnce,
    .poppedPage, .ownerGone,
    .twentyTaps, .twentyCallers, .fourStates, .tenKeystrokes,
    .flood, .chain, .indicator,
    .kept, .keptApart,
    .multipart, .resumed, .changedFile,
    .serverAway, .nextLaunch, .lane, .lostAcknowledgement,
    .compression, .bomb, .validation, .shutdown,
  ]

  /// Runs the step and returns its notes, including one for each expectation that was not met.
  func perform() async -> [TourNote] {
    let notes = TourNotes()
    do {
      let stage = try TourStage(notes)
      defer { stage.close() }
      try await withThrowingTaskGroup { group in
        group.addTask { try await show(stage) }
        group.addTask {
          try await Task.sleep(for: Self.limit)
          throw TourFailure(description: "it took longer than \(shown(Self.limit))")
        }
        try await group.next()
        group.cancelAll()
      }
    } catch {
      notes.add(.broken, "\(error)")
    }
    return notes.all
  }
}

/// One line of the tour.
struct TourNote: Sendable, Hashable {
  enum Speaker: String, Sendable {
    case client
    case server
    /// An expectation that was not met.
    case broken = "BROKEN"
  }

  let speaker: Speaker
  let text: String

  var isBroken: Bool { speaker == .broken }

  /// The note as an aligned line.
  var line: String { "   \(speaker.rawValue)  \(text)" }
}

/// The notes of a step.
final class TourNotes: Sendable {
  private let notes = Mutex<[TourNote]>([])

  init() {}

  var all: [TourNote] { notes.withLock { $0 } }

  func add(_ speaker: TourNote.Speaker, _ text: String) {
    notes.withLock { $0.append(TourNote(speaker: speaker, text: text)) }
  }
}

/// The reason why a step failed.
struct TourFailure: Error, CustomStringConvertible {
  let description: String
}
