// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The declarations of Network that this package uses.

public import Darwin
public import Dispatch

public struct NWPath: Equatable, Sendable {
  public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
  public let status: Status
}

public final class NWPathMonitor {
  public init() { absent() }
  @preconcurrency public final var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
    get { absent() }
    set { absent() }
  }
  public final func start(queue: DispatchQueue) { absent() }
  public final func cancel() { absent() }
}
