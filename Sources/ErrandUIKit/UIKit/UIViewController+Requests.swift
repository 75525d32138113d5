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
    /// requests again later.
    public var requests: RequestScope { ownRequests }
  }

  extension UIViewController: ScopeOwner {
    var scopeName: String { "\(type(of: self))" }

    var scopeHolder: ScopeHolder? {
      get { objc_getAssociatedObject(self, &holderKey) as? ScopeHolder }
      set { objc_setAssociatedObject(self, &holderKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC) }
    }

    var scopeContainer: (any ScopeOwner)? { parent ?? presentingViewController }

    var isInWindow: Bool { viewIfLoaded?.window != nil || presentedViewController != nil }

    var endsWhenDetached: Bool { true }

    var scopesInside: [any ScopeOwner] {
      let views = viewIfLoaded.map { $0.viewsWithScopes(in: self) } ?? []
      return children.filter { $0.scopeHolder != nil } + views
    }

    func watchWindow() {
      guard let view = viewIfLoaded, !view.subviews.contains(where: { $0 is ScopeSentinel }) else { return }
      view.addSubview(ScopeSentinel(of: self))
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
