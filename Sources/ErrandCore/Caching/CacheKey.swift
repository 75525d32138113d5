/// The key of a cached response: the name that the request gave, and the partition.
public struct CacheKey: Sendable, Hashable, CustomStringConvertible {
  /// The name that the request gave. A store on disk writes it as it is, so it should hold no secret.
  public let name: String
  /// The partition of the response. Responses are never shared between partitions.
  public let partition: CachePartition

  /// - Parameter partition: Default: none.
  public init(_ name: String, partition: CachePartition = .none) {
    self.name = name
    self.partition = partition
  }

  /// The name, and the first 8 digits of the partition if there is one.
  public var description: String {
    partition == .none ? name : "\(name) (\(partition.description.prefix(8)))"
  }
}
