#if canImport(UIKit) && !os(watchOS)
  public import ErrandCore
  public import UIKit

  extension UIViewController {
    /// The requests that end with this controller: when it is popped, dismissed, removed from its container
    /// or from its window, or released. The requests of the controllers that it presents and contains end
    /// with it.
    ///
    /// ```swift
    /// override func viewDidLoad() {
    ///   super.viewDidLoad()
    ///   requests.task { [weak self, client] in
    ///     let response = try await client.send(.get(url))
    ///     self?.show(response)
    ///   }
    /// }
    /// ```
    ///
    /// A controller that is shown again gets a new scope, so read this property each time. It needs no base
    /// class and no swizzling: a hidden view of size zero in the controller's view notices when that view
    /// leaves its window. Before the view is loaded, the hidden view does not exist. So requests from `init`
    /// end when the controller is released, unless this property is read again later, or the controller is
    /// pushed with an animation.
    public var requests: RequestScope { ownRequests }
  }

  extension UIViewController: ScopeOwner {
    var scopeName: String { "\(type(of: self))" }

    var scopeHolder: ScopeHolder? {
      get { objc_getAssociatedObject(self, &holderKey) as? ScopeHolder }
      set { objc_setAssociatedObject(self, &holderKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC) }
    }

    var scopeContainer: (any ScopeOwner)? { parent ?? presentingViewController }

    /// True if its view is in a window, or covered by something that it presents there. A sheet over a
    /// window's earlier root page stays in the window, and does not count.
    var isInWindow: Bool {
      if viewIfLoaded?.window != nil { return true }
      guard var top = presentedViewController else { return false }
      while let next = top.presentedViewController { top = next }
      guard let window = top.viewIfLoaded?.window else { return false }
      var outermost: UIViewController = self
      while let next = outermost.parent ?? outermost.presentingViewController { outermost = next }
      return window.rootViewController === outermost
    }

    var endsWhenDetached: Bool { true }

    var scopesInside: [any ScopeOwner] {
      let views = viewIfLoaded.map { $0.viewsWithScopes(in: self) } ?? []
      return children.filter { $0.scopeHolder != nil } + views
    }

    var pages: [any ScopeOwner] { children.filter { $0.viewIfLoaded != nil } }

    func watchWindow() {
      guard let view = viewIfLoaded else {
        // The view of a page that is being pushed exists when the movement has ended.
        transitionCoordinator?.animate(alongsideTransition: nil) { [weak self] _ in self?.scopeHolder?.moved()
        }
        return
      }
      // Some views accept subviews only in their content view.
      let host = (view as? UIVisualEffectView)?.contentView ?? view
      if !host.subviews.contains(where: { $0 is ScopeSentinel }) { host.addSubview(ScopeSentinel(of: self)) }
    }
  }

  extension UIView {
    /// The views in this one that have a scope and belong to this controller.
    fileprivate func viewsWithScopes(in controller: UIViewController) -> [UIView] {
      (scopeHolder == nil ? [] : [self])
        + subviews.filter { ($0.next as? UIViewController ?? controller) === controller }
        .flatMap { $0.viewsWithScopes(in: controller) }
    }
  }

  @MainActor private var holderKey: UInt8 = 0
#endif
