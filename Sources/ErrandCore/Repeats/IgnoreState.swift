/// Tracks which requests were sent a moment ago, so that the same requests are ignored. The request that is
/// sent begins a window and sets its length; ignored requests change nothing. Pure: the time is a parameter.
struct IgnoreState: Sendable {
  enum Decision: Sendable, Hashable {
    /// The request is to be sent. `timer`: when `expire` must be called, or nil if the timer is set early
    /// enough already.
    case send(timer: Duration?)
    /// The same request was sent `sent` ago, in a window of length `window`.
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
    guard interval > .zero else { return .send(timer: nil) }
    let window = Window(began: now, length: min(interval, .longest))
    windows[key] = window
    return .send(timer: expiries.add(key, due: window.end))
  }

  /// Closes the window that began at `began`, if it is still there.
  mutating func close(_ key: RequestKey, began: Duration) {
    if windows[key]?.began == began { windows[key] = nil }
  }

  /// Forgets the windows that are over; returns when to call this again.
  mutating func expire(at now: Duration) -> Duration? {
    while let key = expiries.next(by: now) {
      // A new window of the same key may have begun since.
      if let window = windows[key], window.end <= now { windows[key] = nil }
    }
    if windows.isEmpty { windows = [:] }
    return expiries.nextRing()
  }
}
