/// What a client does about requests that are sent more than once: it ignores them, lets them share an answer, or lets the
/// newest win. One for each client.
final class Repeats<Answer: Sendable>: Sendable {
  let timeline: Timeline
  let states = RepeatStates<Answer>()
  /// Whether an outcome may be given to those who come after it was here.
  let mayReplay: @Sendable (Result<Answer, any Error>) -> Bool
  private let alarm: Alarm

  init(
    _ timeline: Timeline, mayReplay: @escaping @Sendable (Result<Answer, any Error>) -> Bool = { _ in true }
  ) {
    self.timeline = timeline
    self.mayReplay = mayReplay
    alarm = Alarm(timeline) { [states] now in states.expire(at: now) }
  }

  /// Lets a request pass, unless the same has passed a moment ago. Returns when its window began.
  /// - Throws: `ignoredRepeat`.
  @discardableResult
  func admit(_ key: RequestKey, within interval: Duration) throws(RequestError) -> Duration {
    let now = timeline.now()
    switch states.ignoring.withLock({ $0.admit(key, within: interval, at: now) }) {
    case .send(let alarm): wake(at: alarm)
    case .ignore(let sent, let window):
      throw RequestError(
        .ignoredRepeat,
        message: "the same request was sent \(sent.formattedSeconds) ago, "
          + "and others like it are ignored for \(window.formattedSeconds)",
        reachedServer: false)
    }
    return now
  }

  /// Closes a window: its request never left.
  func close(_ key: RequestKey, began: Duration) {
    states.ignoring.withLock { $0.close(key, began: began) }
  }

  /// Makes a call the newest of its key until it ends, and calls off the one before it. That one has no answer, even if
  /// its bytes are here: a call that is stopped before it hands its answer over does not hand it over.
  func begin(latest key: RequestKey, _ signal: StopSignal) -> LatestState<StopSignal>.Place {
    let (place, overtaken) = states.latest.withLock { $0.begin(key, signal) }
    overtaken?.stop(.cancelled(.superseded))
    return place
  }

  func end(latest place: LatestState<StopSignal>.Place) { _ = states.latest.withLock { $0.end(place) } }

  /// Makes sure that what is over is forgotten.
  func wake(at due: Duration?) {
    if let due { alarm.set(for: due) }
  }
}
