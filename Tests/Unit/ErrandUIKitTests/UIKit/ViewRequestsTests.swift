#if canImport(UIKit)
  import ErrandCore
  import ErrandUIKit
  import Testing
  import UIKit

  extension UIKitTests {
    @MainActor @Suite struct ViewRequestsTests {
      private let screen = Screen()

      @Test func `a view's requests end with the view`() {
        var view: UIView? = UIView()
        let requests = view?.requests
        #expect(view?.requests === requests)
        view = nil
        #expect(requests?.isCancelled == true)
      }

      @Test func `a view's requests end with its controller, however deeply the view is nested`() {
        let (page, outer, inner) = (screen.push("page"), UIView(), UIView())
        page.view.addSubview(outer)
        outer.addSubview(inner)
        let requests = inner.requests
        page.requests.end()
        #expect(requests.isCancelled)
      }

      @Test func `a view's requests end with its controller, even if they began before it was in one`() {
        let (page, view) = (screen.push("page"), UIView())
        let requests = [view.requests, page.view.requests]
        page.view.addSubview(view)
        page.requests.end()
        #expect(requests.allSatisfy { $0.isCancelled })
      }

      @Test(arguments: [false, true])
      func `a moved view keeps its requests`(asksAgain: Bool) async {
        let view = UIView()
        let (first, second) = (screen.push("first"), screen.push("second"))
        first.view.addSubview(view)
        let requests = view.requests
        second.view.addSubview(view)
        if asksAgain { #expect(view.requests === requests) }
        first.requests.end()
        #expect(!requests.isCancelled)
        second.requests.end()
        #expect(requests.isCancelled)
      }

      @Test func `a view that is moved before its controller is released keeps its requests`() async {
        let view = UIView()
        var first: Page? = Page("first")
        first?.view.addSubview(view)
        let requests = view.requests
        let second = screen.push("second")
        second.view.addSubview(view)
        first = nil
        #expect(!requests.isCancelled)
        screen.navigation.popViewController(animated: false)
        await Screen.settle()
        #expect(requests.isCancelled)
      }

      @Test func `a view that its own request retains ends with the released controller`() {
        var page: Page? = Page("page")
        let view = UIView()
        page?.view.addSubview(view)
        let requests = view.requests
        page = nil
        #expect(requests.isCancelled)
      }

      @Test func `a view that outlived its controller has a new scope in the next one`() {
        let (first, second, view) = (screen.push("first"), screen.push("second"), UIView())
        first.view.addSubview(view)
        let requests = view.requests
        first.requests.end()
        #expect(view.requests === requests)
        second.view.addSubview(view)
        #expect(!view.requests.isCancelled)
      }

      @Test func `a cell's requests end when it shows another item, and not while it shows the same one`() {
        let cell = UICollectionViewCell()
        let first = cell.requests(for: 1)
        #expect(cell.requests(for: 1) === first)
        #expect(cell.requests === first)
        let second = cell.requests(for: 2)
        #expect(first.isCancelled)
        #expect(!second.isCancelled && cell.requests === second)
        cell.endRequestsForReuse()
        #expect(second.isCancelled)
        #expect(!cell.requests(for: 2).isCancelled)
      }

      @Test func `identifiers that differ only in their bytes are two uses`() {
        let cell = UICollectionViewCell()
        let first = cell.requests(for: "Ren\u{E9}")
        #expect(cell.requests(for: "Ren\u{E9}") === first)
        #expect(cell.requests(for: "Rene\u{301}") !== first)
        #expect(first.isCancelled)
      }

      @Test func `a cell's requests end with its page`() {
        let (page, list, cell) = (screen.push("page"), UICollectionView(), UICollectionViewCell())
        page.view.addSubview(list)
        list.addSubview(cell)
        _ = cell.requests(for: 1)
        let requests = cell.requests(for: 2)
        page.requests.end()
        #expect(requests.isCancelled)
      }
    }
  }
#endif
