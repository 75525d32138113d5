/// Which requests were sent a moment ago, so that others like them are ignored. A window is begun by the request that is
/// sent, and is as long as that one said; what is ignored in it changes nothing. Pure: the time comes in.
struct IgnoreState: Sendable {
  enum Decision: Sendable, Hashable {
    /// It is to be sent. `alarm`: when `expire` must be called, if nobody has been told to before.
    case send(alarm: Duration?)
    /// The same was sent so long ago, in a window so long.
    case ignore(sent: Duration, window: Duration)
  }

  private struct Window: Sendable {
    let began: Duration
    let length: Duration
    var end: Duration { began + length }
  }

  private var windows: [RequestKey: Window] = [:]
  private var expiries = Expiries<RequestKey>()

  var count: Int { windows.count + expiries.count }
  var isEmpty: Bool { count == 0 }

  mutating func admit(_ key: RequestKey, within interval: Duration, at now: Duration) -> Decision {
    if let window = windows[key], now < window.end {
      return .ignore(sent: max(.zero, now - window.began), window: window.length)
    }
    guard interval > .zero else { return .send(alarm: nil) }
    let window = Window(began: now, length: min(interval, .longest))
    windows[key] = window
    return .send(alarm: expiries.add(key, due: window.end))
  }

  /// Closes the window that began then, if it is there still.
  mutating func close(_ key: RequestKey, began: Duration) {
    if windows[key]?.began == began { windows[key] = nil }
  }

  /// Forgets the windows that are over; returns when to do so again.
  mutating func expire(at now: Duration) -> Duration? {
    while let key = expiries.next(by: now) {
      // A new window of the same key may have begun since.
      if let window = windows[key], window.end <= now { windows[key] = nil }
    }
    if windows.isEmpty { windows = [:] }
    return expiries.nextRing()
  }
}
