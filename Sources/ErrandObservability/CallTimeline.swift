package import ErrandCore

/// The steps of one call with their beginnings and ends, computed from the call's events. Pure.
package struct CallTimeline: Sendable {
  package enum Step: String, Sendable, Hashable {
    case queue, backoff, dependencies
    case shared = "shared"
    case dns, connect, tls, send
    case firstByte = "first byte"
    case receive
  }

  package struct Span: Sendable, Hashable {
    package let step: Step
    package let attempt: Int
    package let redirects: Int
    /// On the client's timeline.
    package let begin: Duration
    package let end: Duration
  }

  /// The maximum number of steps that are stored, because a call may have any number of attempts.
  private static let mostSpans = 500

  /// The time at which the call began.
  package let began: Duration
  /// The last steps that have ended, in order.
  package private(set) var spans: [Span] = []
  private var waits: (step: Step, since: Duration)?
  /// The end of the last step of the current attempt; nil between attempts.
  private var last: Duration?
  private var isReceiving = false
  /// The attempt that the last event belongs to.
  private var place = (attempt: 0, redirects: 0)

  /// The current step, whose end is set to its beginning; nil between steps.
  package var present: Span? {
    let found = waits ?? last.map { (isReceiving ? .receive : .firstByte, $0) }
    return found.map {
      Span(step: $0.step, attempt: place.attempt, redirects: place.redirects, begin: $0.since, end: $0.since)
    }
  }

  package init(began: Duration) { self.began = began }

  package mutating func take(_ event: CallEvent) {
    place = (event.attempt, event.redirects)
    switch event.kind {
    case .waiting(let wait): waits = (Step(wait), event.time)
    case .waited:
      if let waits { add(waits.step, from: waits.since, to: event.time, event) }
      waits = nil
    case .attemptStarted:
      (last, isReceiving) = (event.time, false)
    case .resolved(let time): step(.dns, time, event)
    case .connected(let time): step(.connect, time, event)
    case .secured(let time): step(.tls, time, event)
    case .fieldsSent: last = max(last ?? .zero, event.time)
    case .bodySent: move(to: event.time, .send, event)
    case .firstByte:
      move(to: event.time, .firstByte, event)
      isReceiving = true
    case .responded(let response):
      // A stream is received until the call's end.
      let isStream = response.bodyLength == nil
      if !isStream || !isReceiving { move(to: event.time, isReceiving ? .receive : .firstByte, event) }
      isReceiving = isStream
      if !isStream { last = nil }
    case .attemptFailed, .overtaken:
      move(to: event.time, isReceiving ? .receive : .firstByte, event)
      last = nil
    case .finished, .failed, .cancelled:
      if let waits { add(waits.step, from: waits.since, to: event.time, event) }
      move(to: event.time, isReceiving ? .receive : .firstByte, event)
      (waits, last) = (nil, nil)
    default: break
    }
  }

  /// Adds a step of the given length after the previous step.
  private mutating func step(_ step: Step, _ time: Duration, _ event: CallEvent) {
    guard let begin = last else { return }
    add(step, from: begin, to: begin + time, event)
    last = begin + time
  }

  private mutating func move(to time: Duration, _ step: Step, _ event: CallEvent) {
    guard let begin = last else { return }
    add(step, from: begin, to: max(begin, time), event)
    last = max(begin, time)
  }

  private mutating func add(_ step: Step, from begin: Duration, to end: Duration, _ event: CallEvent) {
    if spans.count == Self.mostSpans { spans.removeFirst() }
    spans.append(
      Span(step: step, attempt: event.attempt, redirects: event.redirects, begin: begin, end: end))
  }
}

extension CallTimeline.Step {
  init(_ wait: EventWait) {
    self =
      switch wait {
      case .slot, .rateLimit, .network: .queue
      case .backoff: .backoff
      case .dependencies: .dependencies
      case .sharedResponse: .shared
      }
  }
}
