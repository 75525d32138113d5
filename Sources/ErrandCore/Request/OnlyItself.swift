/// Boxes a value that cannot be compared, in an object that equals only itself.
package final class OnlyItself<Value: Sendable>: Sendable, Hashable {
  package let value: Value

  package init(_ value: Value) { self.value = value }

  package static func == (left: OnlyItself, right: OnlyItself) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
