/// That a request's answer is kept, and how it is used.
public struct KeepRule: Sendable, Hashable {
  /// What it is kept under. Two users never share an answer, whatever the name. It is written down as it is, so it should
  /// hold no secret.
  public var name: String
  public var policy: KeepPolicy

  public init(_ name: String, _ policy: KeepPolicy) {
    self.name = name
    self.policy = policy
  }
}
