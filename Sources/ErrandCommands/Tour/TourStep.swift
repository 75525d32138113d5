import ErrandCore

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
    .cancelled, .stalled, .deadline, .credentials,
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
