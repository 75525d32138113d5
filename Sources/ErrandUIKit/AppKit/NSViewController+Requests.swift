#if os(macOS)
  public import AppKit
  public import ErrandCore

  extension NSViewController {
    /// The requests that end with this controller: when it is dismissed, removed from its parent or from its
    /// window, or released. A controller that is shown again gets a new scope, so read this property each
    /// time.
    public var requests: RequestScope { ownRequests }
  }

  extension NSView {
    /// The requests that end with this view, or with the controller that contains it. A view that is moved
    /// takes its requests to the other controller. Read this property each time.
    public var requests: RequestScope { ownRequests }

    /// Returns the requests of a reused view for the item that it shows now. Requests for earlier items end.
    /// - Parameter use: An identifier of the item.
    public func requests(for use: some Hashable & Sendable) -> RequestScope {
      ScopeHolder.of(self).beginUse(AnyHashable(ExactBytes.key(use)))
      return ownRequests
    }

    /// Ends the requests for the item that the view shows. Call it in `prepareForReuse`.
    public func endRequestsForReuse() { scopeHolder?.endUse() }
  }

  extension NSViewController: ScopeOwner {
    var scopeName: String { "\(type(of: self))" }

    var scopeHolder: ScopeHolder? {
      get { objc_getAssociatedObject(self, &controllerKey) as? ScopeHolder }
      set { objc_setAssociatedObject(self, &controllerKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC) }
    }

    var scopeContainer: (any ScopeOwner)? { parent ?? presentingViewController }

    var isInWindow: Bool { isViewLoaded && view.window != nil }

    var endsWhenDetached: Bool { true }

    var pages: [any ScopeOwner] { children.filter { $0.isViewLoaded } }

    var scopesInside: [any ScopeOwner] { children.filter { $0.scopeHolder != nil } }

    func watchWindow() {
      guard isViewLoaded, !view.subviews.contains(where: { $0 is WindowSentinel }) else { return }
      view.addSubview(WindowSentinel(of: self))
    }
  }

  extension NSView: ScopeOwner {
    var scopeName: String { "\(type(of: self))" }

    var scopeHolder: ScopeHolder? {
      get { objc_getAssociatedObject(self, &viewKey) as? ScopeHolder }
      set { objc_setAssociatedObject(self, &viewKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC) }
    }

    /// The first controller among its responders.
    var scopeContainer: (any ScopeOwner)? {
      var responder = nextResponder
      while let present = responder {
        if let controller = present as? NSViewController { return controller }
        responder = present.nextResponder
      }
      return nil
    }

    var isInWindow: Bool { window != nil }

    var endsWhenDetached: Bool { false }

    var pages: [any ScopeOwner] { [] }

    var scopesInside: [any ScopeOwner] { [] }

    func watchWindow() {}
  }

  /// A hidden view of size zero that notices when its controller's view enters or leaves a window.
  private final class WindowSentinel: NSView {
    private weak var controller: NSViewController?

    init(of controller: NSViewController) {
      self.controller = controller
      super.init(frame: NSRect(x: 0, y: 0, width: 0, height: 0))
      isHidden = true
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidMoveToWindow() {
      super.viewDidMoveToWindow()
      controller?.scopeHolder?.moved()
    }
  }

  @MainActor private var controllerKey: UInt8 = 0
  @MainActor private var viewKey: UInt8 = 0
#endif
