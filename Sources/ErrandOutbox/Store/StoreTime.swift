/// An instant as a store records it: by a clock that does not jump, and by one that survives a restart of the
/// machine.
public struct StoreTime: Sendable, Hashable {
  /// Milliseconds since the machine started, sleep included. This clock cannot be set.
  public var ticks: Int64
  /// Milliseconds since 1970, by the wall clock.
  public var wall: Int64
  /// Identifies the start of the machine that the ticks count from.
  public var boot: String

  public init(ticks: Int64, wall: Int64, boot: String) {
    self.ticks = ticks
    self.wall = wall
    self.boot = boot
  }
}
