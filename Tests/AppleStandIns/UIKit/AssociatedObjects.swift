// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The declarations of UIKit that this package uses, as Apple declares them, on a simple model of UIKit that
// runs: views, controllers, and transitions between them that a test completes (`Movements`). It has no
// screen.

@_exported public import Foundation

public struct objc_AssociationPolicy: Sendable {
  public static var OBJC_ASSOCIATION_RETAIN_NONATOMIC: objc_AssociationPolicy { objc_AssociationPolicy() }
}

/// The objects that are stored with another one. As with Apple's, their user must ensure that only one thread
/// uses them.
final class Associations: @unchecked Sendable {
  var objects: [UnsafeRawPointer: Any] = [:]
}

public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
  (object as? UIResponder)?.associations.objects[key]
}

public func objc_setAssociatedObject(
  _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
  (object as? UIResponder)?.associations.objects[key] = value
}
