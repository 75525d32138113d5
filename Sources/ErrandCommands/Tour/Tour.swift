import ErrandCore

/// Shows Errand's features against a server inside the process that fails on purpose. Each step checks
/// itself.
struct Tour {
  let console: Console
  var steps = TourStep.all

  func run() async throws -> ExitCode {
    let started = ContinuousClock.now
    try console.output.write(
      "Errand \(ErrandVersion.current), against a server in this process that misbehaves on purpose.\n")
    var broken: [String] = []
    for (index, step) in steps.enumerated() {
      try console.output.write("\n\(index + 1). \(step.title)\n")
      let notes = await step.perform()
      try Task.checkCancellation()
      for note in notes { try console.output.write(note.line + "\n") }
      if notes.contains(where: \.isBroken) { broken.append("\(index + 1). \(step.title)") }
    }
    try console.output.write("\n" + summary(broken, started.duration(to: .now)) + "\n")
    return broken.isEmpty ? .success : .rejected
  }

  private func summary(_ broken: [String], _ time: Duration) -> String {
    if broken.isEmpty { return "All \(steps.count) steps went as promised, in \(Amounts.time(time))." }
    return "Not as promised:\n" + broken.map { "  \($0)" }.joined(separator: "\n")
  }
}

/// One step of the tour: a feature that is shown and checked.
struct TourStep: Sendable {
  /// The time after which a step fails.
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

  /// Runs the step, and returns its notes, with one for each expectation that was not met.
  func perform() async -> [TourNote] {
    let notes = TourNotes()
    do {
      let stage = try TourStage(notes)
      defer { stage.close() }
      try await withThrowingTaskGroup { group in
        group.addTask { try await show(stage) }
        group.addTask {
          try await Task.sleep(for: Self.limit)
          throw TourFailure(description: "it took longer than \(Amounts.time(Self.limit))")
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

  /// The note as an aligned line, with control characters escaped.
  var line: String { "   \(speaker.rawValue)  \(ControlEscaper.line(text))" }
}

/// The notes of a step.
final class TourNotes: Sendable {
  private let notes = Locked<[TourNote]>([])

  init() {}

  var all: [TourNote] { notes.withLock { $0 } }

  func add(_ speaker: TourNote.Speaker, _ text: String) {
    notes.withLock { $0.append(TourNote(speaker: speaker, text: text)) }
  }
}

/// The reason why a step could not be shown.
struct TourFailure: Error, CustomStringConvertible {
  let description: String
}
