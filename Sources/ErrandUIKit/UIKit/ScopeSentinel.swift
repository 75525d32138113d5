#if canImport(UIKit) && !os(watchOS)
  import UIKit

  /// A hidden view of size zero that notices when its controller's view enters or leaves a window.
  final class ScopeSentinel: UIView {
    private weak var controller: UIViewController?

    init(of controller: UIViewController) {
      self.controller = controller
      super.init(frame: CGRect(x: 0, y: 0, width: 0, height: 0))
      isHidden = true
      isUserInteractionEnabled = false
      isAccessibilityElement = false
    }

    required init?(coder: NSCoder) { nil }

    override func didMoveToWindow() {
      super.didMoveToWindow()
      guard let controller, let holder = controller.scopeHolder else { return }
      holder.moved()
      // A swipe back may be abandoned, so the controller's place is known only at its end.
      controller.transitionCoordinator?.animate(alongsideTransition: nil) { [weak holder] _ in holder?.moved()
      }
    }
  }
#endif
