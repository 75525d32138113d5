public import Observation

/// What a person sees while requests are under way: a model that any screen can draw, in SwiftUI, UIKit or a terminal.
///
/// Several requests may share one. It is shown when it takes longer than a delay, counted from the first of them, and then
/// for at least a minimum time, so that it never flickers: a request that begins while it lingers keeps it shown, and a
/// retry does not make it blink. Between two requests of which one begins after the other has ended there may be a gap.
///
/// ```swift
/// let activity = Activity("Loading")
/// for await now in activity.updates { overlay.isHidden = !now.isShown }
/// ```
///
/// Its properties may be read anywhere. Those who observe them (SwiftUI, `withObservationTracking`) are told on the main
/// actor, after the change, and should observe there: elsewhere a change between looking and observing would be missed.
/// `updates` misses nothing, wherever it is read.
public final class Activity: Sendable, Observable {
  private let board: ActivityBoard
  private let timeline: Timeline
  private let alarm: Alarm
  private let registrar = ObservationRegistrar()

  /// - Parameters:
  ///   - text: What is said if no request says anything else.
  ///   - delay: It is shown if it takes longer than this. Default: 0.4 s.
  ///   - minimum: It is shown at least so long. Default: 0.5 s.
  ///   - clock: What both are measured with.
  public init(
    _ text: String = "", delay: Duration = .milliseconds(400), minimum: Duration = .milliseconds(500),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    let board = ActivityBoard(ActivityState(text: text, delay: delay, minimum: minimum))
    self.board = board
    timeline = Timeline(clock)
    alarm = Alarm(timeline) { board.ring(at: $0) }
    board.attach(self)
  }

  deinit { board.finish() }

  /// There is something to draw.
  public var isShown: Bool { read(\.isShown, .isShown).isShown }

  /// What to say: the text of the newest request that has one, or the activity's own. Empty for nothing.
  public var text: String { read(\.text, .text).text }

  /// The user must wait, because a request that blocks input is under way. True from that request's beginning, before
  /// anything is shown, or a second tap would get through; false as soon as it has ended, while it may still be shown.
  public var blocksInput: Bool { read(\.blocksInput, .blocksInput).blocksInput }

  /// How far all requests are together, 0...1 in steps of a thousandth; nil while no total is known. It never goes down
  /// while the activity is shown; a request that joins when it is full makes it nil.
  public var fraction: Double? { read(\.fraction, .fraction).fraction }

  /// How many requests are under way, shown or not.
  public var count: Int { read(\.count, .count).count }

  /// How it is now, and how it will be: see `ActivityUpdates`.
  public var updates: ActivityUpdates { ActivityUpdates(board: board) }

  /// A request begins. Whoever calls this must call `end`, once all tries are over.
  package func begin(text: String? = nil, blocksInput: Bool = false) -> ActivityToken {
    let now = timeline.now()
    let (token, due) = board.change { $0.begin(text: text, blocksInput: blocksInput, at: now) }
    if let due { alarm.set(for: due) }
    return token
  }

  /// Does nothing for a request that has ended.
  package func progress(_ token: ActivityToken, _ progress: TransferProgress) {
    // The first word of a first try, which says nothing yet.
    if progress.attempt <= 1, ActivityAmount(progress) == nil { return }
    let now = timeline.now()
    let due = board.change { ((), $0.progress(token, progress, at: now)) }.due
    if let due { alarm.set(for: due) }
  }

  /// More than once does nothing.
  package func end(_ token: ActivityToken) {
    let now = timeline.now()
    let due = board.change { ((), $0.end(token, at: now)) }.due
    if let due { alarm.set(for: due) }
  }

  /// Observers are told here only: one that looks and then observes, both on the main actor, misses nothing so.
  @MainActor func tellObservers() {
    let changes = board.takeUntold()
    if changes.contains(.isShown) { registrar.withMutation(of: self, keyPath: \.isShown) {} }
    if changes.contains(.text) { registrar.withMutation(of: self, keyPath: \.text) {} }
    if changes.contains(.blocksInput) { registrar.withMutation(of: self, keyPath: \.blocksInput) {} }
    if changes.contains(.fraction) { registrar.withMutation(of: self, keyPath: \.fraction) {} }
    if changes.contains(.count) { registrar.withMutation(of: self, keyPath: \.count) {} }
  }

  private func read<Value>(_ path: KeyPath<Activity, Value>, _ property: ActivityChanges) -> Snapshot {
    registrar.access(self, keyPath: path)
    return board.snapshot(observing: property)
  }
}
