/// The continuations of the streams that observe something.
struct Observers<Element: Sendable>: Sendable {
  typealias Continuation = AsyncStream<Element>.Continuation

  private var continuations: [(id: Int, continuation: Continuation)] = []
  private var last = 0

  var isEmpty: Bool { continuations.isEmpty }

  /// The continuations in the order in which they were added.
  var all: [Continuation] { continuations.map(\.continuation) }

  mutating func add(_ continuation: Continuation) -> Int {
    last += 1
    continuations.append((last, continuation))
    return last
  }

  mutating func remove(_ id: Int) { continuations.removeAll { $0.id == id } }

  mutating func removeAll() -> [Continuation] {
    defer { continuations = [] }
    return all
  }
}
