/// Tells whether whatever holds it is still there.
final class Leash: Sendable {
  init() {}
}

/// Looks at an object without keeping it.
struct WeakBox<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?
}
