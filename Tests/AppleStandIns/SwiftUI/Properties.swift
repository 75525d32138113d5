public protocol DynamicProperty {
  mutating func update()
}

extension DynamicProperty {
  public mutating func update() {}
}

/// A property that the host connects to the kept state of a view.
@MainActor protocol ConnectedProperty {
  func connect(_ slot: inout AnyObject?, _ environment: EnvironmentValues, _ host: Host)
}

@propertyWrapper public struct State<Value>: DynamicProperty {
  final class Storage {
    var value: Value
    var changed: () -> Void
    init(_ value: Value, _ changed: @escaping () -> Void) {
      self.value = value
      self.changed = changed
    }
  }

  final class Box {
    let initial: Value
    var storage: Storage?
    init(_ initial: Value) { self.initial = initial }
  }

  let box: Box

  public init(wrappedValue: Value) { box = Box(wrappedValue) }
  public init(initialValue: Value) { box = Box(initialValue) }

  public var wrappedValue: Value {
    get { box.storage?.value ?? box.initial }
    nonmutating set {
      box.storage?.value = newValue
      box.storage?.changed()
    }
  }

  public var projectedValue: Binding<Value> {
    Binding(get: { [self] in wrappedValue }, set: { [self] in wrappedValue = $0 })
  }
}

extension State: @unchecked Sendable where Value: Sendable {}

extension State: ConnectedProperty {
  func connect(_ slot: inout AnyObject?, _ environment: EnvironmentValues, _ host: Host) {
    let storage = slot as? Storage ?? Storage(box.initial) { [weak host] in host?.invalidate() }
    slot = storage
    box.storage = storage
  }
}

@propertyWrapper public struct Binding<Value> {
  let get: () -> Value
  let set: (Value) -> Void

  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    self.get = get
    self.set = set
  }

  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  public var projectedValue: Binding<Value> { self }
}

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]

  public init() {}

  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }

  public var accessibilityReduceMotion: Bool { self[ReduceMotionKey.self] }
}

private struct ReduceMotionKey: EnvironmentKey {
  static let defaultValue = false
}

extension View {
  /// Not part of SwiftUI: for tests.
  public func reducingMotion() -> some View {
    attended("motion") { _, _, environment in environment[ReduceMotionKey.self] = true }
  }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
  final class Box {
    var values = EnvironmentValues()
  }

  let keyPath: KeyPath<EnvironmentValues, Value>
  let box = Box()

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

  public var wrappedValue: Value { box.values[keyPath: keyPath] }
}

extension Environment: @unchecked Sendable where Value: Sendable {}

extension Environment: ConnectedProperty {
  func connect(_ slot: inout AnyObject?, _ environment: EnvironmentValues, _ host: Host) {
    box.values = environment
  }
}
