open class UIViewController: UIResponder {
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

  public required init?(coder: NSCoder) { nil }

  public convenience override init() { self.init(nibName: nil, bundle: nil) }

  open var title: String?
  open var isModalInPresentation = false
  public private(set) lazy var navigationItem = UINavigationItem(title: title ?? "")
  public private(set) var viewIfLoaded: UIView?
  public private(set) weak var parent: UIViewController?
  public private(set) var children: [UIViewController] = []
  public internal(set) weak var presentingViewController: UIViewController?
  public internal(set) var presentedViewController: UIViewController?
  /// The movement in which the controller or its container takes part.
  weak var movement: Movement?

  open var view: UIView! {
    get {
      if viewIfLoaded == nil {
        loadView()
        viewIfLoaded?.controller = self
        viewDidLoad()
      }
      return viewIfLoaded
    }
    set { viewIfLoaded = newValue }
  }

  open func loadViewIfNeeded() { _ = view }
  open func loadView() { view = UIView() }
  open func viewDidLoad() {}
  open func viewDidDisappear(_ animated: Bool) {}
  open override var next: UIResponder? { viewIfLoaded?.superview }

  open var navigationController: UINavigationController? {
    parent as? UINavigationController ?? parent?.navigationController
  }

  open var transitionCoordinator: (any UIViewControllerTransitionCoordinator)? {
    movement ?? parent?.transitionCoordinator
  }

  // MARK: Containers

  open func addChild(_ childController: UIViewController) {
    childController.parent?.children.removeAll { $0 === childController }
    childController.parent = self
    children.append(childController)
  }

  open func removeFromParent() {
    parent?.children.removeAll { $0 === self }
    parent = nil
  }

  open func didMove(toParent parent: UIViewController?) {}
  open func willMove(toParent parent: UIViewController?) {}

  // MARK: Presentation

  open func present(
    _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
  ) {
    // The presenting controller is the outermost container.
    if let parent { return parent.present(viewControllerToPresent, animated: flag, completion: completion) }
    presentedViewController = viewControllerToPresent
    viewControllerToPresent.presentingViewController = self
    let window = view.window
    Movements.begin(animated: flag, of: [self, viewControllerToPresent]) { _ in
      window?.addSubview(viewControllerToPresent.view)
      completion?()
    }
  }

  /// Dismisses the controller that this one presents, or else itself.
  open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
    guard let top = presentedViewController else {
      (presentingViewController ?? parent)?.dismiss(animated: flag, completion: completion)
      return
    }
    Movements.begin(animated: flag, of: [self, top]) { isCancelled in
      if !isCancelled { self.removePresented() }
      completion?()
    }
  }

  private func removePresented() {
    presentedViewController?.removePresented()
    let gone = presentedViewController
    gone?.viewIfLoaded?.removeFromSuperview()
    gone?.presentingViewController = nil
    presentedViewController = nil
    gone?.viewDidDisappear(true)
  }
}

open class UITabBarController: UIViewController {
  open var viewControllers: [UIViewController]? {
    willSet {
      for old in viewControllers ?? [] where newValue?.contains(old) != true {
        old.viewIfLoaded?.removeFromSuperview()
        old.removeFromParent()
      }
    }
    didSet {
      for new in viewControllers ?? [] where new.parent !== self { addChild(new) }
      selectedIndex = min(selectedIndex, max(0, (viewControllers?.count ?? 1) - 1))
    }
  }

  open var selectedIndex = 0 {
    didSet {
      for (index, controller) in (viewControllers ?? []).enumerated() {
        if index == selectedIndex {
          view.addSubview(controller.view)
        } else {
          controller.view.removeFromSuperview()
        }
      }
    }
  }
}

open class UISplitViewController: UIViewController {
  open var viewControllers: [UIViewController] = [] {
    didSet {
      for old in oldValue where !viewControllers.contains(old) {
        old.viewIfLoaded?.removeFromSuperview()
        old.removeFromParent()
      }
      for new in viewControllers where new.parent !== self {
        addChild(new)
        view.addSubview(new.view)
      }
    }
  }
}
