import ErrandCore

/// A view or a controller, as the rules about scopes see it.
@MainActor protocol ScopeOwner: AnyObject {
  /// The name of its scope.
  var scopeName: String { get }
  /// What is stored with the object for its scope, and released with it.
  var scopeHolder: ScopeHolder? { get set }
  /// What it is in now: a view's controller; a controller's container, or what presents it.
  var scopeContainer: (any ScopeOwner)? { get }
  /// True if it is in a window, or covered by something that it presents.
  var isInWindow: Bool { get }
  /// True if its requests end when it is nowhere any more; false if only with itself or with what it is in.
  var endsWhenDetached: Bool { get }
  /// The controllers in it whose views are loaded.
  var pages: [any ScopeOwner] { get }
  /// The owners in it that have a scope.
  var scopesInside: [any ScopeOwner] { get }
  /// Sees to it that `ScopeHolder.moved` is called when it enters or leaves a window.
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
