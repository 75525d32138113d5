import ErrandCore
import ErrandTesting

extension Invariant {
  static let listening = Invariant(
    name:
      "a listener gets each event of the server once, in order, until the stream ends or the listener leaves"
  ) { evidence in
    evidence.listeners.compactMap { listener in
      let expected = (0..<listener.events.count).map { "event \($0 + 1)" }
      if listener.events != expected { return "\(listener) got \(listener.events)" }
      guard let (time, end) = listener.end else { return "\(listener) still listens" }
      switch end {
      case .over:
        return listener.events.count == listener.count
          ? nil : "\(listener) ended after \(listener.events.count)"
      case .failed(.cancelled):
        let isExpected = listener.left == time || evidence.plan.shutdown != nil
        return isExpected
          ? nil : "\(listener) was cancelled at \(time), and left at \(listener.left ?? .zero)"
      case .failed(let code): return "\(listener) failed: \(code)"
      }
    }
  }

  static let streamsEnd = Invariant(
    name: "an event stream has one connection at a time, and none before it begins or after it ends"
  ) { evidence in
    evidence.listeners.flatMap { listener -> [String] in
      let attempts = evidence.attempts.filter { $0.ask == listener.id }
      return zip(attempts, attempts.dropFirst()).compactMap { one, next in
        one.ended ?? .longest > next.began ? "\(listener) had two connections at \(next.began)" : nil
      }
        + attempts.compactMap { attempt in
          guard let (time, _) = listener.end else { return nil }
          return attempt.began >= listener.began && attempt.ended ?? .longest <= time
            ? nil : "\(listener), from \(listener.began) to \(time), had a connection from \(attempt.began)"
        }
    }
  }
}
