#if canImport(UIKit) && !os(watchOS)
  public import ErrandCore
  public import UIKit

  /// A stack of scopes that follows a navigation controller: pushes, pops, `setViewControllers`, and the swipe back, which
  /// ends nothing until it is completed. Each page is the scope of its controller.
  ///
  /// ```swift
  /// let shop = NavigationScopes(navigationController)
  /// shop.stack.scope.task { … }       // ends with the whole stack
  /// ```
  ///
  /// The controllers' own `requests` end without it, too; it adds a scope for the stack as a whole, and an end for pages
  /// that another object keeps alive. The navigation controller keeps it; its delegate is not touched, so it can be set
  /// at any time. `update` looks at the stack; it is called whenever one of its pages enters or leaves the window.
  @MainActor public final class NavigationScopes {
    private weak var controller: UINavigationController?
    private let followed: FollowedStack

    /// The stack: its pages from the root to the top, and its own scope. It ends with the navigation controller.
    public var stack: ScopeStack { followed.stack }

    /// - Parameters:
    ///   - controller: The navigation controller to follow.
    ///   - name: The name of the stack's own scope. Default: the controller's class.
    ///   - parent: The scope that the stack ends with.
    @discardableResult
    public init(
      _ controller: UINavigationController, name: String? = nil, in parent: RequestScope? = nil
    ) {
      self.controller = controller
      followed = FollowedStack(name ?? controller.scopeName, in: parent)
      // Nothing would notice the first push, if no page has asked for its requests by then.
      controller.loadViewIfNeeded()
      let holder = ScopeHolder.of(controller)
      holder.onLook[ObjectIdentifier(self)] = { self.update() }
      holder.look()
    }

    /// Looks at the stack now. Only needed after a change of pages that are not visible, such as the removal of one in the
    /// middle, which otherwise ends when the next page is shown.
    public func update() {
      guard let controller else { return }
      let isMoving = controller.transitionCoordinator != nil
      followed.follow(controller.viewControllers) { page in
        isMoving || page.scopeContainer === controller
      } onLook: {
        [weak self] in
        self?.update()
      }
    }
  }
#endif
