import ErrandCore

/// The notes of a step.
final class TourNotes: Sendable {
  private let notes = Locked<[TourNote]>([])

  init() {}

  var all: [TourNote] { notes.withLock { $0 } }

  func add(_ speaker: TourNote.Speaker, _ text: String) {
    notes.withLock { $0.append(TourNote(speaker: speaker, text: text)) }
  }
}
