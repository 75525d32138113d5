@MainActor public protocol UINavigationControllerDelegate: AnyObject {
  func navigationController(
    _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool)
  func navigationController(
    _ navigationController: UINavigationController, didShow viewController: UIViewController, animated: Bool)
}

extension UINavigationControllerDelegate {
  public func navigationController(
    _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool
  ) {}
  public func navigationController(
    _ navigationController: UINavigationController, didShow viewController: UIViewController, animated: Bool
  ) {}
}

open class UINavigationController: UIViewController {
  public convenience init(rootViewController: UIViewController) {
    self.init(nibName: nil, bundle: nil)
    viewControllers = [rootViewController]
  }

  open weak var delegate: (any UINavigationControllerDelegate)?

  private var pages: [UIViewController] = []
  open var viewControllers: [UIViewController] {
    get { pages }
    set { setViewControllers(newValue, animated: false) }
  }
  open var topViewController: UIViewController? { pages.last }

  open func pushViewController(_ viewController: UIViewController, animated: Bool) {
    show(pages + [viewController], animated: animated)
  }

  @discardableResult
  open func popViewController(animated: Bool) -> UIViewController? {
    guard pages.count > 1, let top = pages.last else { return nil }
    show(Array(pages.dropLast()), animated: animated)
    return top
  }

  @discardableResult
  open func popToViewController(_ viewController: UIViewController, animated: Bool) -> [UIViewController]? {
    guard let index = pages.firstIndex(of: viewController), index < pages.count - 1 else { return nil }
    let gone = Array(pages[(index + 1)...])
    show(Array(pages[...index]), animated: animated)
    return gone
  }

  @discardableResult
  open func popToRootViewController(animated: Bool) -> [UIViewController]? {
    pages.first.flatMap { popToViewController($0, animated: animated) }
  }

  open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
    show(viewControllers, animated: animated)
  }

  /// Like UIKit: the list of pages changes at once, the views move to their new parents during the movement,
  /// and the pages that left lose their parent at its end. A cancelled movement restores the list.
  private func show(_ new: [UIViewController], animated: Bool) {
    let old = pages
    pages = new
    for page in new where page.parent !== self { addChild(page) }
    let (from, to) = (old.last, new.last)
    let start = {
      guard let to else { return }
      self.delegate?.navigationController(self, willShow: to, animated: animated)
      self.view.addSubview(to.view)
    }
    let finish = { (isCancelled: Bool) in
      if isCancelled { self.pages = old }
      let (shown, hidden) = isCancelled ? (from, to) : (to, from)
      if shown !== hidden { hidden?.viewIfLoaded?.removeFromSuperview() }
      for page in old + new where !self.pages.contains(page) { page.removeFromParent() }
      if !isCancelled, shown !== hidden, let shown {
        self.delegate?.navigationController(self, didShow: shown, animated: animated)
      }
      if !isCancelled { hidden?.viewDidDisappear(animated) }
    }
    // If no page changes, nothing moves.
    if from === to {
      finish(false)
    } else {
      Movements.begin(animated: animated, of: [self], start, then: finish)
    }
  }
}
