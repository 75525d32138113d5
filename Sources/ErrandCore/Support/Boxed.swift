/// A value behind one reference. Passing it on costs as little as passing an object, however large it is, and
/// a waiting task that holds it reserves no space for the value. A change creates a new box.
struct Boxed<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  var value: Value {
    _read { yield box.value }
    _modify {
      var changed = box.value
      defer { box = Box(changed) }
      yield &changed
    }
  }
}

extension Boxed: Equatable where Value: Equatable {
  static func == (left: Boxed, right: Boxed) -> Bool {
    left.box === right.box || left.box.value == right.box.value
  }
}

extension Boxed: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
