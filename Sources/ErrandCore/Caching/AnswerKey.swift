/// What an answer is kept under: the name that the request gave, and whose answer it is.
public struct AnswerKey: Sendable, Hashable, CustomStringConvertible {
  /// The name that the request gave. A store on disk writes it down as it is, so it should hold no secret.
  public let name: String
  /// Whose answer it is. Two partitions never share one.
  public let partition: AnswerPartition

  /// - Parameter partition: Default: nobody's in particular.
  public init(_ name: String, partition: AnswerPartition = .none) {
    self.name = name
    self.partition = partition
  }

  /// The name, and the beginning of the partition if there is one.
  public var description: String {
    partition == .none ? name : "\(name) (\(partition.description.prefix(8)))"
  }
}
