#if canImport(UIKit)
  import ErrandCore
  import TestSupport
  import Testing
  import UIKit

  /// All tests of the adaptors. The model of UIKit has one screen, so one test runs at a time.
  @MainActor @Suite(.serialized, .oneScreen) struct UIKitTests {}

  /// A window with a navigation controller, and pages with names.
  @MainActor final class Screen {
    let window = UIWindow()
    let navigation = UINavigationController(rootViewController: Page("root"))

    init() { window.rootViewController = navigation }

    func push(_ name: String, animated: Bool = false) -> Page {
      let page = Page(name)
      navigation.pushViewController(page, animated: animated)
      return page
    }

    /// Runs the work that was deferred until after the present call.
    static func settle() async {
      for _ in 0..<5 { await Task.yield() }
      await MainActor.run {}
    }
  }

  class Page: UIViewController {
    init(_ title: String) {
      super.init(nibName: nil, bundle: nil)
      self.title = title
    }

    required init?(coder: NSCoder) { nil }
  }
#endif
