/// A violation of an invariant in a world.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
  public let invariant: String
  public let detail: String
  public var description: String { "\(invariant): \(detail)" }
}
