/// The limits of what an inspector holds.
public struct InspectorLimits: Sendable, Hashable {
  /// The most calls; the oldest are forgotten. Default: 1000.
  public var calls = 1000
  /// The most bytes of bodies; those of the oldest calls are forgotten. Default: 64 MiB.
  public var bodies = 64 << 20
  /// The most bytes of one body. Default: 256 KiB.
  public var bodyLength = 256 << 10

  public init() {}
}
