/// An instant, as a store writes it down: by a clock that does not jump and by one that outlives the machine's next start.
public struct StoreTime: Sendable, Hashable {
  /// Milliseconds since the machine started, those it slept included. Nobody can set this clock.
  public var ticks: Int64
  /// Milliseconds since 1970, by the wall clock.
  public var wall: Int64
  /// Which start of the machine the ticks count from.
  public var boot: String

  public init(ticks: Int64, wall: Int64, boot: String) {
    self.ticks = ticks
    self.wall = wall
    self.boot = boot
  }
}
