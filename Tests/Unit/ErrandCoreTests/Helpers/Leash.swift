/// An object whose lifetime shows whether anything still retains it.
final class Leash: Sendable {
  init() {}
}

/// Refers to an object without retaining it.
struct WeakBox<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?
}
