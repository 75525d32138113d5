/// Those who follow something.
struct Observers<Element: Sendable>: Sendable {
  typealias Continuation = AsyncStream<Element>.Continuation

  private var continuations: [Int: Continuation] = [:]
  private var last = 0

  var all: [Continuation] { Array(continuations.values) }

  mutating func add(_ continuation: Continuation) -> Int {
    last += 1
    continuations[last] = continuation
    return last
  }

  mutating func remove(_ id: Int) { continuations[id] = nil }

  mutating func removeAll() -> [Continuation] {
    defer { continuations = [:] }
    return all
  }
}
