import ErrandCore
import ErrandTesting

/// The request of a note, as the world describes it.
struct NoteReading: Sendable {
  enum Way: Sendable {
    case shared(within: Duration, SharingPolicy.Failures)
    case named(CachePolicy)
  }

  let note: Int
  let way: Way

  /// True if a cached response may replace a failure.
  var isReplaced: Bool { if case .named(.staleIfError) = way { true } else { false } }

  static func key(of note: Int) -> String { "note \(note)" }

  func apply(to request: Request) -> Request {
    let name = Self.key(of: note)
    return switch way {
    case .shared(let window, let failures):
      request.shared(within: window, failures: failures, key: RequestKey(name))
    case .named(let policy): request.cached(as: name, policy)
    }
  }
}

extension NoteReading: CustomStringConvertible {
  var description: String {
    switch way {
    case .shared(let window, let failures): "note \(note), shared for \(window), failures \(failures)"
    case .named(let policy): "note \(note), cached: \(policy)"
    }
  }
}
