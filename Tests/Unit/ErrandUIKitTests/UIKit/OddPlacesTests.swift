#if canImport(UIKit)
  import ErrandCore
  import ErrandTesting
  import ErrandUIKit
  import Testing
  import UIKit

  extension UIKitTests {
    /// Pages and views in unusual places, or temporarily in none.
    @MainActor @Suite struct OddPlacesTests {
      private let screen = Screen()

      @Test func `a page ends when it is popped below another, even if it is the only one with requests`()
        async
      {
        let middle = screen.push("middle")
        let requests = middle.requests
        _ = screen.push("top")
        await Screen.settle()
        #expect(!requests.isCancelled)
        screen.navigation.popToRootViewController(animated: false)
        await Screen.settle()
        #expect(requests.isCancelled)
      }

      @Test func `a sheet that another one covers is dismissed with it`() async {
        let (first, second) = (Page("first"), Page("second"))
        screen.navigation.present(first, animated: false)
        let requests = first.requests
        first.present(second, animated: false)
        first.view.removeFromSuperview()
        await Screen.settle()
        #expect(!requests.isCancelled)
        _ = screen.navigation.requests
        screen.navigation.dismiss(animated: false)
        let (root, window) = (screen.navigation.view!, screen.window)
        root.removeFromSuperview()
        window.addSubview(root)
        await Screen.settle()
        #expect(requests.isCancelled && !screen.navigation.requests.isCancelled)
      }

      @Test func `a window that gets another root while a sheet is shown ends the old root's requests`() async
      {
        let (page, sheet, old) = (screen.push("page"), Page("sheet"), screen.navigation)
        old.present(sheet, animated: false)
        let requests = [old.requests, page.requests, sheet.requests]
        screen.window.rootViewController = Page("signed out")
        await Screen.settle()
        #expect(requests.allSatisfy { $0.isCancelled })
        #expect(old.presentedViewController === sheet)
      }

      @Test func `a view can be emptied in a loop`() async {
        let page = screen.push("page")
        let requests = page.requests
        var count = 0
        while let view = page.view.subviews.last, count < 100 {
          view.removeFromSuperview()
          count += 1
        }
        #expect(count == 1)
        await Screen.settle()
        #expect(!requests.isCancelled)
        screen.navigation.popViewController(animated: false)
        await Screen.settle()
        #expect(requests.isCancelled)
      }

      private final class BlurredPage: UIViewController {
        override func loadView() { view = UIVisualEffectView(frame: CGRect(x: 0, y: 0, width: 1, height: 1)) }
      }

      @Test func `a page whose view accepts no subviews is watched nevertheless`() async {
        let page = BlurredPage()
        screen.navigation.pushViewController(page, animated: false)
        let requests = page.requests
        screen.navigation.popViewController(animated: false)
        await Screen.settle()
        #expect(requests.isCancelled)
      }

      @Test func `a controller that is moved into another one within a call keeps its requests`() async {
        let (page, wrapper, navigation) = (screen.push("page"), Page("wrapper"), screen.navigation)
        let requests = [page.requests, navigation.requests]
        wrapper.addChild(navigation)
        wrapper.view.addSubview(navigation.view)
        screen.window.rootViewController = wrapper
        await Screen.settle()
        #expect(requests.allSatisfy { !$0.isCancelled })
        #expect(page.requests === requests[0])
        screen.window.rootViewController = nil
        await Screen.settle()
        #expect(requests.allSatisfy { $0.isCancelled })
      }

      @Test func `a cell whose requests are used before it is in its table ends with the page`() async {
        let (page, cell) = (screen.push("page"), UIView())
        let requests = cell.requests(for: 7)
        page.view.addSubview(cell)
        await Screen.settle()
        screen.navigation.popViewController(animated: false)
        await Screen.settle()
        #expect(requests.isCancelled)
      }

      @Test(arguments: [false, true]) func `motion is reduced if the user has asked for it`(reduces: Bool)
        async
      {
        Accessibility.setReduceMotion(reduces)
        defer { Accessibility.setReduceMotion(false) }
        let activity = RequestActivity("Sending", delay: .zero, minimum: .zero)
        let presenter = ActivityPresenter(activity, over: screen.navigation.view)
        let before = Accessibility.animations
        let call = Client(transport: StubTransport([.stall])).start(
          .get("https://example.com").activity(activity))
        while presenter.overlay.content.alpha < 1 { await Task.yield() }
        #expect((Accessibility.animations == before) == reduces)
        call.cancel()
        while presenter.overlay.content.alpha > 0 { await Task.yield() }
      }
    }
  }
#endif
