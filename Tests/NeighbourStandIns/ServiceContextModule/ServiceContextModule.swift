// Stands in for swift-service-context 1.1: the declarations that the integrations use, with a small implementation.

public protocol ServiceContextKey: Sendable {
  associatedtype Value: Sendable
}

public struct ServiceContext: Sendable {
  private var values: [ObjectIdentifier: any Sendable] = [:]

  public static var topLevel: ServiceContext { ServiceContext() }

  public subscript<Key: ServiceContextKey>(_ key: Key.Type) -> Key.Value? {
    get { values[ObjectIdentifier(key)] as? Key.Value }
    set { values[ObjectIdentifier(key)] = newValue }
  }

  @TaskLocal public static var current: ServiceContext?
}
