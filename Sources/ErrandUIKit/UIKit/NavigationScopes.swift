#if canImport(UIKit) && !os(watchOS)
  public import ErrandCore
  public import UIKit

  /// A stack of scopes that follows a navigation controller: pushes, pops, `setViewControllers`, and the
  /// swipe back, which ends a page only when it is completed. Each page is the scope of its controller.
  ///
  /// ```swift
  /// let shop = NavigationScopes(navigationController)
  /// shop.stack.scope.task { … }       // ends with the whole stack
  /// ```
  ///
  /// The `requests` of the controllers also end without this class. It adds a scope for the whole stack, and
  /// ends pages that another object keeps alive. The navigation controller retains it. It does not use the
  /// navigation controller's delegate, so you can set the delegate at any time.
  @MainActor public final class NavigationScopes {
    private weak var controller: UINavigationController?
    private let followed: FollowedStack

    /// The stack: its pages from the root to the top, and the stack's scope. It ends with the navigation controller.
    public var stack: ScopeStack { followed.stack }

    /// Makes a stack of scopes that follows a navigation controller.
    /// - Parameters:
    ///   - controller: The navigation controller to follow.
    ///   - name: The name of the stack's scope. Default: the name of the controller's class.
    ///   - parent: The scope that the stack ends with.
    @discardableResult
    public init(
      _ controller: UINavigationController, name: String? = nil, in parent: RequestScope? = nil
    ) {
      self.controller = controller
      followed = FollowedStack(name ?? controller.scopeName, in: parent)
      // Without the view, the first push would go unnoticed if no page has read its requests by then.
      controller.loadViewIfNeeded()
      let holder = ScopeHolder.of(controller)
      holder.onLook[ObjectIdentifier(self)] = { self.update() }
      holder.look()
    }

    /// Compares the stack with the controller's pages. It is called automatically when a page enters or
    /// leaves the window. Call it after a change of pages that are not visible, such as the removal of one in
    /// the middle. Otherwise that page ends when the next page is shown.
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
