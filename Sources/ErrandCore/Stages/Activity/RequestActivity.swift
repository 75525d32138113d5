public import Observation

/// The activity indicator of one or more requests: a model that any screen can draw, in SwiftUI, UIKit or a
/// terminal.
///
/// Several requests may share one activity. It is shown once it has lasted longer than `delay`, counted from
/// the first request, and then for at least `minimum`, so that it does not flicker. A request that begins
/// during that minimum keeps it shown, and a retry does not make it blink. A gap is possible only if one
/// request begins after another has ended.
///
/// ```swift
/// let activity = RequestActivity("Loading")
/// for await now in activity.updates { overlay.isHidden = !now.isShown }
/// ```
///
/// The properties may be read on any thread. Observers (SwiftUI, `withObservationTracking`) are notified on
/// the main actor, after the change, and should observe there: elsewhere, a change between reading and
/// observing would be missed. `updates` misses nothing, wherever it is read.
public final class RequestActivity: Sendable, Observable {
  private let state: CurrentActivity
  private let timeline: Timeline
  private let timer: DeadlineTimer
  private let registrar = ObservationRegistrar()

  /// Creates an activity that is hidden until a request begins.
  ///
  /// - Parameters:
  ///   - text: The text to show if no request has a text. Default: empty.
  ///   - delay: The activity is shown if it lasts longer than this. Default: 0.4 s.
  ///   - minimum: The shortest time that the activity stays shown. Default: 0.5 s.
  ///   - clock: The clock that measures both. Default: `ContinuousClock`.
  public init(
    _ text: String = "", delay: Duration = .milliseconds(400), minimum: Duration = .milliseconds(500),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    let state = CurrentActivity(ActivityState(text: text, delay: delay, minimum: minimum))
    self.state = state
    timeline = Timeline(clock)
    timer = DeadlineTimer(timeline) { state.ring(at: $0) }
  }

  deinit { state.finish { $0.close() } }

  /// True while the activity is to be drawn.
  public var isShown: Bool { read(\.isShown, .isShown).isShown }

  /// The text to show: that of the newest request that has one, or else the activity's. Empty if neither has
  /// a text.
  public var text: String { read(\.text, .text).text }

  /// True while a request that blocks input is under way. It becomes true when that request begins, before
  /// anything is shown, so that a second tap cannot get through. It becomes false as soon as the request has
  /// ended, even if the activity is still shown.
  public var blocksInput: Bool { read(\.blocksInput, .blocksInput).blocksInput }

  /// The progress of all requests together, 0...1 in steps of a thousandth; nil while no total is known. It
  /// never goes down while the activity is shown; a request that joins when it is nearly full makes it nil.
  public var fraction: Double? { read(\.fraction, .fraction).fraction }

  /// The number of requests under way, shown or not.
  public var count: Int { read(\.count, .count).count }

  /// The present snapshot, and then each that differs. A slow reader misses intermediate snapshots, never the
  /// newest. Any number of readers may follow, independently of each other. The sequence ends when the reading
  /// task is cancelled, or when the activity is released: reading does not keep it alive.
  public var updates: some AsyncSequence<Snapshot, Never> & Sendable { ActivityUpdates(state: state) }

  /// Adds a request. The caller must call `end` when its last attempt has ended.
  package func begin(text: String? = nil, blocksInput: Bool = false) -> ActivityToken {
    let now = timeline.now()
    let (token, due) = state.apply { $0.begin(text: text, blocksInput: blocksInput, at: now) }
    if let due { timer.set(for: due) }
    return token
  }

  /// Updates a request's progress. Does nothing for a request that has ended.
  package func progress(_ token: ActivityToken, _ progress: TransferProgress) {
    // The first report of a first attempt says nothing yet.
    if progress.attempt <= 1, ActivityAmount(progress) == nil { return }
    let now = timeline.now()
    let due = state.apply { ((), $0.progress(token, progress, at: now)) }.due
    if let due { timer.set(for: due) }
  }

  /// Removes a request. Calling it again does nothing.
  package func end(_ token: ActivityToken) {
    let now = timeline.now()
    let due = state.apply { ((), $0.end(token, at: now)) }.due
    if let due { timer.set(for: due) }
  }

  /// Notifies the observers. Called only on the main actor, so an observer that reads and observes there
  /// misses nothing.
  @MainActor func tellObservers() {
    let changes = state.change { $0.takeUntold() }
    if changes.contains(.isShown) { registrar.withMutation(of: self, keyPath: \.isShown) {} }
    if changes.contains(.text) { registrar.withMutation(of: self, keyPath: \.text) {} }
    if changes.contains(.blocksInput) { registrar.withMutation(of: self, keyPath: \.blocksInput) {} }
    if changes.contains(.fraction) { registrar.withMutation(of: self, keyPath: \.fraction) {} }
    if changes.contains(.count) { registrar.withMutation(of: self, keyPath: \.count) {} }
  }

  private func read<Value>(_ path: KeyPath<RequestActivity, Value>, _ property: ActivityChanges) -> Snapshot {
    registrar.access(self, keyPath: path)
    return state.change { state in
      state.observe(property, of: self)
      return state.rules.snapshot
    }
  }
}

/// How a request appears in an activity.
package struct ActivityUse: Sendable {
  /// The activity that shows the request. The same object means the same activity.
  package let activity: RequestActivity
  /// The text to show while this request is the newest; nil for the activity's own text.
  package let text: String?
  /// True if the user must wait until the request has ended.
  package let blocksInput: Bool

  /// Creates the use of an activity by a request.
  /// - Parameters:
  ///   - activity: The activity that shows the request.
  ///   - text: The text to show while this request is the newest; nil for the activity's text. Default: nil.
  ///   - blocksInput: True if the user must wait until the request has ended. Default: false.
  package init(_ activity: RequestActivity, text: String? = nil, blocksInput: Bool = false) {
    self.activity = activity
    self.text = text
    self.blocksInput = blocksInput
  }
}

extension ActivityUse: Hashable {
  package static func == (left: ActivityUse, right: ActivityUse) -> Bool {
    left.activity === right.activity && left.text == right.text && left.blocksInput == right.blocksInput
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(activity))
    hasher.combine(text)
    hasher.combine(blocksInput)
  }
}

extension RequestActivity {
  /// The state of an activity at one moment: everything needed to draw it.
  public struct Snapshot: Sendable, Hashable {
    /// True while the activity is to be drawn.
    public var isShown: Bool
    /// The text to show; empty for none.
    public var text: String
    /// True while the user must wait. It can be true before anything is shown.
    public var blocksInput: Bool
    /// The progress of all requests together, 0...1 in steps of a thousandth; nil if it is not known.
    public var fraction: Double?
    /// The number of requests under way.
    public var count: Int

    /// Creates a snapshot, for previews and tests. The default is that of a hidden activity.
    public init(
      isShown: Bool = false, text: String = "", blocksInput: Bool = false, fraction: Double? = nil,
      count: Int = 0
    ) {
      self.isShown = isShown
      self.text = text
      self.blocksInput = blocksInput
      self.fraction = fraction
      self.count = count
    }

    func changes(since old: Snapshot) -> ActivityChanges {
      var changes: ActivityChanges = []
      if isShown != old.isShown { changes.insert(.isShown) }
      if text != old.text { changes.insert(.text) }
      if blocksInput != old.blocksInput { changes.insert(.blocksInput) }
      if fraction != old.fraction { changes.insert(.fraction) }
      if count != old.count { changes.insert(.count) }
      return changes
    }
  }
}

/// An activity's snapshots. See `RequestActivity.updates`.
struct ActivityUpdates: AsyncSequence, Sendable {
  typealias Element = RequestActivity.Snapshot
  typealias Failure = Never

  let state: CurrentActivity

  struct AsyncIterator: AsyncIteratorProtocol {
    let state: CurrentActivity
    var seen: RequestActivity.Snapshot?

    mutating func next() async -> RequestActivity.Snapshot? {
      guard let news = await state.next(after: seen) else { return nil }
      seen = news
      return news
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(state: state) }
}
