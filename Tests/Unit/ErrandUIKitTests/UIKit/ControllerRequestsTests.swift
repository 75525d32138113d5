#if canImport(UIKit)
  import ErrandCore
  import ErrandUIKit
  import Testing
  import UIKit

  extension UIKitTests {
    @MainActor @Suite struct ControllerRequestsTests {
      private let screen = Screen()

      @Test func `a controller has one scope, which ends with the controller`() {
        var page: Page? = Page("page")
        let requests = page?.requests
        #expect(page?.requests === requests)
        #expect(requests?.count == 0)
        page = nil
        #expect(requests?.isCancelled == true)
      }

      @Test func `asking for the requests of a controller does not load its view`() {
        let page = Page("page")
        _ = page.requests
        #expect(page.viewIfLoaded == nil)
      }

      @Test func `a popped page ends, even if another object retains it`() async {
        let page = screen.push("page")
        let (requests, root) = (page.requests, screen.navigation.viewControllers[0].requests)
        screen.navigation.popViewController(animated: false)
        await Screen.settle()
        #expect(requests.isCancelled)
        #expect(!root.isCancelled)
      }

      @Test func `a page that is pushed again has a new scope`() async {
        let page = screen.push("page")
        let first = page.requests
        screen.navigation.popViewController(animated: false)
        await Screen.settle()
        screen.navigation.pushViewController(page, animated: false)
        #expect(first.isCancelled)
        #expect(!page.requests.isCancelled)
      }

      @Test func `a scope that was ended manually is not renewed`() {
        let page = screen.push("page")
        page.requests.end()
        #expect(page.requests.isCancelled)
      }

      @Test func `nothing ends until a swipe back is completed, or when it is cancelled`() async {
        let page = screen.push("page")
        let requests = page.requests
        screen.navigation.popViewController(animated: true)
        await Screen.settle()
        #expect(!requests.isCancelled)
        Movements.end(givingUp: true)
        await Screen.settle()
        #expect(!requests.isCancelled)
        screen.navigation.popViewController(animated: true)
        Movements.end()
        await Screen.settle()
        #expect(requests.isCancelled)
      }

      @Test func `dismissing a sheet ends it and the sheets above it, and never its presenter`() async {
        let page = screen.push("page")
        let (sheet, over) = (Page("sheet"), Page("over"))
        let requests = page.requests
        page.present(sheet, animated: false)
        sheet.present(over, animated: false)
        let presented = [sheet.requests, over.requests]
        page.dismiss(animated: true)
        #expect(presented.allSatisfy { !$0.isCancelled })
        Movements.end()
        await Screen.settle()
        #expect(presented.allSatisfy { $0.isCancelled })
        #expect(!requests.isCancelled)
      }

      @Test func `a sheet that is pulled down only halfway continues`() async {
        let sheet = UINavigationController(rootViewController: Page("sheet"))
        screen.navigation.present(sheet, animated: false)
        let requests = [sheet.requests, sheet.viewControllers[0].requests]
        sheet.dismiss(animated: true)
        Movements.end(givingUp: true)
        await Screen.settle()
        #expect(requests.allSatisfy { !$0.isCancelled })
        sheet.dismiss(animated: true)
        Movements.end()
        await Screen.settle()
        #expect(requests.allSatisfy { $0.isCancelled })
      }

      @Test func `a covered page continues`() async {
        let page = screen.push("page")
        let requests = [page.requests, screen.navigation.requests]
        let cover = Page("cover")
        page.present(cover, animated: false)
        // UIKit does the same for a full-screen presentation.
        screen.navigation.view.removeFromSuperview()
        await Screen.settle()
        #expect(page.requests === requests[0] && screen.navigation.requests === requests[1])
        #expect(requests.allSatisfy { !$0.isCancelled })
      }

      @Test func `tabs that are not selected continue, and one that is removed ends`() async {
        let tabs = UITabBarController()
        screen.window.rootViewController = tabs
        let pages = ["a", "b", "c"].map(Page.init)
        tabs.viewControllers = pages
        for index in [0, 1, 2] { tabs.selectedIndex = index }
        let requests = pages.map(\.requests)
        tabs.selectedIndex = 0
        await Screen.settle()
        #expect(requests.allSatisfy { !$0.isCancelled })
        tabs.selectedIndex = 2
        tabs.viewControllers = Array(pages[0...1])
        await Screen.settle()
        #expect(requests.map(\.isCancelled) == [false, false, true])
      }

      @Test func `the columns of a split view end when they are replaced`() async {
        let split = UISplitViewController()
        screen.window.rootViewController = split
        let (list, old, new) = (Page("list"), Page("old"), Page("new"))
        split.viewControllers = [list, old]
        let requests = [list, old, new].map(\.requests)
        split.viewControllers = [list, new]
        await Screen.settle()
        #expect(requests.map(\.isCancelled) == [false, true, false])
      }

      @Test func `a child ends with its container, or alone when it is removed`() async {
        let page = screen.push("page")
        let children = [Page("first"), Page("second")]
        for child in children {
          page.addChild(child)
          page.view.addSubview(child.view)
        }
        let requests = children.map(\.requests)
        children[0].view.removeFromSuperview()
        children[0].removeFromParent()
        await Screen.settle()
        #expect(requests.map(\.isCancelled) == [true, false])
        #expect(!page.requests.isCancelled)
        page.requests.end()
        #expect(requests[1].isCancelled)
      }

      @Test func `all pages end when the window gets another root`() async {
        let page = screen.push("page")
        let requests = [page.requests, screen.navigation.requests]
        screen.window.rootViewController = Page("signed out")
        await Screen.settle()
        #expect(requests.allSatisfy { $0.isCancelled })
      }
    }
  }
#endif
