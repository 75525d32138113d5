import ErrandCore

/// A view or a controller, as the rules about scopes see it.
@MainActor protocol ScopeOwner: AnyObject {
  /// The name of its scope.
  var scopeName: String { get }
  /// The holder of its scope, which is stored with the object and released with it.
  var scopeHolder: ScopeHolder? { get set }
  /// Its current container: for a view, its controller; for a controller, its parent or the controller that
  /// presents it.
  var scopeContainer: (any ScopeOwner)? { get }
  /// True if it is in a window, or covered by something that it presents.
  var isInWindow: Bool { get }
  /// True if its requests end when it has no place any more. False if they end only with it or with its container.
  var endsWhenDetached: Bool { get }
  /// The controllers inside it whose views are loaded.
  var pages: [any ScopeOwner] { get }
  /// The owners inside it that have a scope.
  var scopesInside: [any ScopeOwner] { get }
  /// Ensures that `ScopeHolder.moved` is called when it enters or leaves a window.
  func watchWindow()
}

extension ScopeOwner {
  /// The requests that end with it.
  var ownRequests: RequestScope { ScopeHolder.of(self).scope }

  /// True if it is in a window, or in or over something that is.
  var isAttached: Bool {
    if isInWindow { return true }
    return scopeContainer?.isAttached ?? false
  }
}
