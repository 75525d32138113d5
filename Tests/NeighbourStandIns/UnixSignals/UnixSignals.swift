// Stands in for swift-service-lifecycle 2.6: the declarations that the samples use.

public struct UnixSignal: Hashable, Sendable {
  private let number: Int32

  public static let sigterm = UnixSignal(number: 15)
  public static let sigint = UnixSignal(number: 2)
}
