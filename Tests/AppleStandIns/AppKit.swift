// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The declarations of AppKit that this package uses. None of it runs.

@_exported public import Foundation

public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? { absent() }
public func objc_setAssociatedObject(
  _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) { absent() }

public struct objc_AssociationPolicy: Sendable {
  public static var OBJC_ASSOCIATION_RETAIN_NONATOMIC: objc_AssociationPolicy { absent() }
}

@MainActor open class NSResponder {
  public init() { absent() }
  open var nextResponder: NSResponder?
}

open class NSView: NSResponder {
  public init(frame frameRect: NSRect) { absent() }
  public required init?(coder: NSCoder) { absent() }
  open var isHidden: Bool {
    get { absent() }
    set { absent() }
  }
  open var window: NSWindow? { absent() }
  open var subviews: [NSView] { absent() }
  open func addSubview(_ view: NSView) { absent() }
  open func viewDidMoveToWindow() { absent() }
}

open class NSWindow: NSResponder {}

open class NSViewController: NSResponder {
  open var view: NSView { absent() }
  open var isViewLoaded: Bool { absent() }
  open var parent: NSViewController? { absent() }
  open var children: [NSViewController] { absent() }
  open var presentingViewController: NSViewController? { absent() }
}
