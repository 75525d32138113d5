import ErrandCore
import ErrandTesting

extension Invariant {
  static let cachedResponses = Invariant(
    name: "a cached response was made for the same reader and language, and is complete"
  ) { evidence in
    evidence.readings.compactMap { caller, reading, end in
      if reading.wish == .onlyIfCached, let attempt = evidence.attempts(of: caller.ask).first {
        return "\(caller) was sent with attempt \(attempt.index)"
      }
      guard case .responded(_, let text) = end.outcome else { return nil }
      guard let (source, served) = evidence.source(of: text), served.text == text else {
        return "\(caller) got \(text.debugDescription)"
      }
      let vary = evidence.plan.documents[reading.document].vary
      let readers =
        reading.reader == .eve && !vary.contains("Cookie") ? [.anyone, .eve] : [reading.reader]
      let isFitting =
        source.path == caller.ask.path && source.host == caller.ask.host
        && readers.contains(served.content.reader)
        && (!vary.contains("Accept-Language") || served.content.language == reading.language ?? "en")
      return isFitting ? nil : "\(caller) got the response of attempt \(source.index): \(text)"
    }
  }

  static let freshness = Invariant(name: "no cached response is staler than its directives allow") {
    evidence in
    // A guest gets the response of its owner, and may get it later.
    evidence.readings.compactMap { caller, reading, end in
      guard caller.role == .owner, case .responded(_, let text) = end.outcome,
        let (source, served) = evidence.source(of: text)
      else { return nil }
      let confirmations = evidence.confirmations(of: source, served, by: end)
      if source.ask == caller.ask.id || confirmations.contains(where: { $0.ask == caller.ask.id }) {
        return nil
      }
      guard let last = confirmations.max(by: { $0.seen < $1.seen }) else {
        return "\(caller) got at \(end.time) the response of attempt \(source.index), which had not ended"
      }
      // A caller may wait for the validation by another one.
      let joined = evidence.attempts.filter { $0.path == source.path && $0.ended ?? .zero >= caller.began }
      let own = (evidence.attempts(of: caller.ask) + joined).filter { $0.ended ?? .longest <= end.time }
      let document = evidence.plan.documents[reading.document]
      let age = (end.time - last.seen).seconds
      let freshness = document.freshness(unchanged: last.unchanged)
      let failures: [Reading.Failure?] = [nil] + own.compactMap(\.failure)
      let isAllowed = failures.contains { document.allows(age: age, freshness: freshness, reading.wish, $0) }
      return isAllowed
        ? nil
        : "\(caller) got at \(end.time) the response of attempt \(source.index), which was \(age) s old "
          + "and fresh for \(freshness) s; the server said \(document.control)"
    }
  }

  static let changes = Invariant(
    name: "a response to a request after a change was not made before the change"
  ) { evidence in
    let changes = evidence.owners.compactMap { caller -> (Caller, Caller.End, DocumentServer.Served)? in
      guard !caller.ask.changes.isEmpty, let end = caller.ends.first,
        case .responded(_, let text) = end.outcome, let (_, served) = evidence.source(of: text)
      else { return nil }
      return (caller, end, served)
    }
    return evidence.readings.compactMap { caller, reading, last in
      guard caller.role == .owner, case .responded(_, let text) = last.outcome,
        let (source, served) = evidence.source(of: text)
      else { return nil }
      for (change, end, news) in changes
      where change.ask.changes.contains(reading.document) && end.order < caller.order {
        if served.content.writes < news.writes[reading.document] ?? 0 {
          return "\(caller) got the response of attempt \(source.index), from before \(change)"
        }
      }
      return nil
    }
  }
}

extension Evidence {
  /// The callers of documents that have an outcome.
  fileprivate var readings: [(Caller, Reading, Caller.End)] {
    callers.compactMap { caller in
      guard let reading = caller.ask.reading, let end = caller.ends.first else { return nil }
      return (caller, reading, end)
    }
  }

  /// Returns the attempt that a response came from.
  fileprivate func source(of text: String) -> (SimulatedAttempt, DocumentServer.Served)? {
    guard let index = Echo.index(in: text), let served = served[index] else { return nil }
    return (attempts[index], served)
  }

  /// Returns when the servers made the response, and when they confirmed it, with the requests that asked for it.
  fileprivate func confirmations(
    of source: SimulatedAttempt, _ made: DocumentServer.Served, by end: Caller.End
  ) -> [(seen: Duration, unchanged: Double, ask: Int?)] {
    attempts.compactMap { attempt in
      guard let served = served[attempt.index], let seen = attempt.seen, attempt.ended ?? .longest <= end.time
      else { return nil }
      let isConfirmed = attempt.response?.status == 304 && served.content == made.content
      guard isConfirmed || attempt.index == source.index else { return nil }
      return (seen, served.unchanged, attempt.ask)
    }
  }

  /// True if the call's response may be renewed in the background, so that its request is sent beside it.
  func isRenewed(_ caller: Caller) -> Bool {
    caller.ask.reading.map { plan.documents[$0.document].isRenewed } ?? false
  }
}

extension SimulatedAttempt {
  fileprivate var failure: Reading.Failure? {
    switch end {
    case .responded(let status) where status.isServerError: .server
    case .failed(let code)
    where [.cannotResolveHost, .cannotConnect, .connectionLost, .timedOut].contains(code):
      .disconnected
    default: nil
    }
  }
}
