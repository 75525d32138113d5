#if canImport(UIKit)
  import ErrandCore
  import ErrandTesting
  import ErrandUIKit
  import Testing
  import UIKit

  extension UIKitTests {
    /// Applications that act in the middle of another operation.
    @MainActor @Suite struct ReentrancyTests {
      private let screen = Screen()

      @Test func `a page may pop another while its requests end`() async {
        let (first, second) = (screen.push("first"), screen.push("second"))
        let requests = [first.requests, second.requests]
        let navigation = screen.navigation
        NavigationScopes(navigation)
        second.requests.onEnd {
          MainActor.assumeIsolated { _ = navigation.popToRootViewController(animated: false) }
        }
        navigation.popViewController(animated: false)
        await Screen.settle()
        #expect(requests.allSatisfy { $0.isCancelled })
        #expect(navigation.viewControllers.map(\.title) == ["root"])
        #expect(!navigation.viewControllers[0].requests.isCancelled)
      }

      @Test
      func `a page that uses its requests while they end gets the ended ones until it is shown again`()
        async
      {
        let page = screen.push("page")
        let seen = Seen()
        page.requests.onEnd {
          MainActor.assumeIsolated { seen.wasCancelled = page.requests.isCancelled }
        }
        screen.navigation.popViewController(animated: false)
        await Screen.settle()
        #expect(seen.wasCancelled == true)
        screen.navigation.pushViewController(page, animated: false)
        #expect(!page.requests.isCancelled)
      }

      @Test func `a delegate may be replaced by another during its callback`() async {
        let first = ReplacingDelegate()
        screen.navigation.delegate = first
        NavigationScopes(screen.navigation)
        let requests = [screen.push("a").requests, screen.push("b").requests]
        screen.navigation.popToRootViewController(animated: true)
        Movements.end()
        await Screen.settle()
        #expect(requests.allSatisfy { $0.isCancelled })
        #expect(first.shown == ["a"] && first.next.shown == ["b", "root"])
        #expect(screen.navigation.delegate === first.next)
      }

      @Test func `a delegate may push during its callback`() async {
        let navigation = screen.navigation
        let delegate = PushingDelegate()
        navigation.delegate = delegate
        let scopes = NavigationScopes(navigation)
        let requests = screen.push("login").requests
        await Screen.settle()
        #expect(navigation.viewControllers.map(\.title) == ["root", "login", "code"])
        #expect(!requests.isCancelled && scopes.stack.pages.count == 3)
      }

      @Test func `the end of a sheet may present another one`() async {
        let (sheet, next, navigation) = (Page("sheet"), Page("next"), screen.navigation)
        for page in [sheet, next] { page.loadViewIfNeeded() }
        let requests = [sheet.requests, next.requests]
        navigation.present(sheet, animated: false)
        navigation.dismiss(animated: true) { navigation.present(next, animated: false) }
        Movements.end()
        await Screen.settle()
        #expect(requests.map(\.isCancelled) == [true, false])
        #expect(!navigation.requests.isCancelled)
      }

      @Test func `a controller may be released on another thread`() async {
        let page = Box(Page("page"))
        let (requests, child) = await MainActor.run { (page.value?.requests, page.value?.view.requests) }
        await Task.detached { page.value = nil }.value
        await Screen.settle()
        #expect(requests?.isCancelled == true && child?.isCancelled == true)
      }

      @Test func `an activity's presenter may be released on another thread`() async {
        let view = UIView()
        let presenter = Box(ActivityPresenter(RequestActivity(), over: view))
        await Task.detached { presenter.value = nil }.value
        while !view.subviews.isEmpty { await Task.yield() }
      }

      @Test func `a navigation controller may have two followers`() async {
        let stacks = [NavigationScopes(screen.navigation), NavigationScopes(screen.navigation)]
        let requests = screen.push("page").requests
        #expect(stacks.allSatisfy { $0.stack.pages.count == 2 })
        screen.navigation.popViewController(animated: false)
        await Screen.settle()
        #expect(requests.isCancelled && stacks.allSatisfy { $0.stack.pages.count == 1 })
      }

      @Test func `a page that other pages retained ends when it is popped together with them`() async {
        let (middle, top) = (screen.push("middle"), screen.push("top"))
        let requests = [middle.requests, top.requests]
        screen.navigation.popToRootViewController(animated: true)
        Movements.end()
        await Screen.settle()
        #expect(requests.allSatisfy { $0.isCancelled })
      }

      private final class Seen: @unchecked Sendable {
        var wasCancelled: Bool?
      }

      /// Written and read in sequence, never concurrently.
      private final class Box<Value>: @unchecked Sendable {
        var value: Value?
        init(_ value: sending Value) { self.value = value }
      }

      private class ReplacingDelegate: UINavigationControllerDelegate {
        private(set) var shown: [String] = []
        lazy var next = NamingDelegate()

        func navigationController(
          _ navigationController: UINavigationController, didShow viewController: UIViewController,
          animated: Bool
        ) {
          shown.append(viewController.title ?? "")
          navigationController.delegate = next
        }
      }

      private final class NamingDelegate: UINavigationControllerDelegate {
        private(set) var shown: [String] = []

        func navigationController(
          _ navigationController: UINavigationController, didShow viewController: UIViewController,
          animated: Bool
        ) {
          shown.append(viewController.title ?? "")
        }
      }

      private final class PushingDelegate: UINavigationControllerDelegate {
        func navigationController(
          _ navigationController: UINavigationController, didShow viewController: UIViewController,
          animated: Bool
        ) {
          guard viewController.title == "login" else { return }
          navigationController.pushViewController(Page("code"), animated: false)
        }
      }
    }
  }
#endif
