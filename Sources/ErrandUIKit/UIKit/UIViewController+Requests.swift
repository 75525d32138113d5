#if canImport(UIKit) && !os(watchOS)
  public import ErrandCore
  public import UIKit

  extension UIViewController {
    /// The requests that end with this controller: when it is popped, dismissed, removed from its container or from its
    /// window, and when it is released. Requests of what it presents and contains end with it.
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
    /// A controller that is shown again gets a new scope, so ask for it each time. No base class is needed, and nothing
    /// of UIKit's is replaced; a hidden view of size zero in the controller's view notices that it leaves its window. Before
    /// the view is loaded there is none: requests of `init` end with the controller's release, unless it is asked for its
    /// requests again later, or pushed in an animation.
    public var requests: RequestScope { ownRequests }
  }

  extension UIViewController: ScopeOwner {
    var scopeName: String { "\(type(of: self))" }

    var scopeHolder: ScopeHolder? {
      get { objc_getAssociatedObject(self, &holderKey) as? ScopeHolder }
      set { objc_setAssociatedObject(self, &holderKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC) }
    }

    var scopeContainer: (any ScopeOwner)? { parent ?? presentingViewController }

    /// True if its view is in a window, or covered by what it presents there. A sheet over the page that was a window's
    /// root before stays in the window, and does not count.
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
        // A page that was pushed a moment ago has its view when the movement has ended.
        transitionCoordinator?.animate(alongsideTransition: nil) { [weak self] _ in self?.scopeHolder?.moved()
        }
        return
      }
      // Some views take no others but in their content.
      let host = (view as? UIVisualEffectView)?.contentView ?? view
      if !host.subviews.contains(where: { $0 is ScopeSentinel }) { host.addSubview(ScopeSentinel(of: self)) }
    }
  }

  extension UIView {
    /// The views in this one that have a scope and are of this controller.
    fileprivate func viewsWithScopes(in controller: UIViewController) -> [UIView] {
      (scopeHolder == nil ? [] : [self])
        + subviews.filter { ($0.next as? UIViewController ?? controller) === controller }
        .flatMap { $0.viewsWithScopes(in: controller) }
    }
  }

  nonisolated(unsafe) private var holderKey: UInt8 = 0
#endif
