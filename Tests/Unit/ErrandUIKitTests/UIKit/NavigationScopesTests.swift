#if canImport(UIKit)
  import ErrandCore
  import ErrandTesting
  import ErrandUIKit
  import Testing
  import UIKit

  extension UIKitTests {
    @MainActor @Suite struct NavigationScopesTests {
      private let screen = Screen()

      /// Random events of pages: each page's requests end when it has left, and not before, and the stack's
      /// scopes are its pages, in order.
      @Test(arguments: 1...100)
      func `the scopes follow every history of a navigation controller`(seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        let scopes = NavigationScopes(screen.navigation, name: "stack")
        var all = screen.navigation.viewControllers.map { ($0, $0.requests) }
        for step in 0..<12 {
          let before = screen.navigation.viewControllers
          let isAnimated = Bool.random(using: &random)
          switch Int.random(in: 0..<8, using: &random) {
          case 0...2:
            let page = screen.push("\(step)", animated: isAnimated)
            if Bool.random(using: &random) { _ = page.view }
            all.append((page, page.requests))
          case 3...4: screen.navigation.popViewController(animated: isAnimated)
          case 5:
            if let page = before.randomElement(using: &random) {
              screen.navigation.popToViewController(page, animated: isAnimated)
            }
          case 6: screen.navigation.popToRootViewController(animated: isAnimated)
          default:
            let page = Page("\(step)")
            let kept = before.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
            screen.navigation.setViewControllers(kept + [page], animated: isAnimated)
            all.append((page, page.requests))
          }
          for (page, requests) in all where before.contains(page) && Movements.isMoving {
            #expect(!requests.isCancelled, "\(page.title ?? "") in step \(step), before its end")
          }
          let isGivenUp = Movements.isMoving && Int.random(in: 0..<3, using: &random) == 0
          Movements.end(givingUp: isGivenUp)
          await Screen.settle()
          let present = screen.navigation.viewControllers
          #expect(!isGivenUp || present == before)
          for (page, requests) in all {
            #expect(requests.isCancelled == !present.contains(page), "\(page.title ?? "") in step \(step)")
          }
          // A page that has left and was not shown again stays ended.
          all.removeAll { !present.contains($0.0) }
          #expect(scopes.stack.pages.count == present.count)
        }
      }

      @Test func `the stack's own scope ends with the navigation controller, which retains it`() {
        var navigation: UINavigationController? = UINavigationController(rootViewController: Page("root"))
        let scope = navigation.map { NavigationScopes($0).stack.scope }
        #expect(scope?.isCancelled == false)
        navigation = nil
        #expect(scope?.isCancelled == true)
      }

      @Test func `a stack that ends also ends the requests of its controllers`() {
        let session = RequestScope("session")
        let scopes = NavigationScopes(screen.navigation, in: session)
        let requests = screen.push("page").requests
        #expect(scopes.stack.pages.count == 2)
        session.end()
        #expect(requests.isCancelled)
      }

      @Test func `the delegate remains the application's, whenever it is set`() async {
        let (first, second) = (Delegate(), Delegate())
        screen.navigation.delegate = first
        NavigationScopes(screen.navigation)
        let requests = screen.push("page").requests
        screen.navigation.delegate = second
        screen.navigation.popViewController(animated: false)
        await Screen.settle()
        #expect(first.shown == ["page"] && second.shown == ["root"])
        #expect(requests.isCancelled)
      }

      @Test func `a page that is removed from the middle ends at the next check`() {
        let scopes = NavigationScopes(screen.navigation)
        let middle = screen.push("middle")
        let (requests, top) = (middle.requests, screen.push("top"))
        scopes.update()
        screen.navigation.viewControllers.removeAll { $0 === middle }
        scopes.update()
        #expect(requests.isCancelled)
        #expect(!top.requests.isCancelled)
      }

      private final class Delegate: UINavigationControllerDelegate {
        private(set) var shown: [String] = []

        func navigationController(
          _ navigationController: UINavigationController, didShow viewController: UIViewController,
          animated: Bool
        ) {
          shown.append(viewController.title ?? "")
        }
      }
    }
  }
#endif
