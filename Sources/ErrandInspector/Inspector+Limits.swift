extension Inspector {
  /// The limits of an inspector's memory.
  public struct Limits: Sendable, Hashable {
    /// The greatest number of kept calls. Beyond it, the oldest calls are deleted. Default: 1000.
    public var calls = 1000
    /// The greatest total size in bytes of kept bodies, URLs and header fields. Beyond it, those of the oldest
    /// calls are deleted. Default: 64 MiB.
    public var bodies = 64 << 20
    /// The greatest size in bytes of one kept body. Of a longer body, only the beginning is kept. Default: 256 KiB.
    public var bodyLength = 256 << 10

    /// Creates the default limits.
    public init() {}
  }
}
