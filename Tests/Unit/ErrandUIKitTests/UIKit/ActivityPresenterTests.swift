#if canImport(UIKit)
  import ErrandCore
  import ErrandTesting
  import ErrandUIKit
  import Testing
  import UIKit

  extension UIKitTests {
    @MainActor @Suite struct ActivityPresenterTests {
      private let stub = StubTransport([.stall])
      private let view = UIView()

      private func wait(until condition: () -> Bool) async { while !condition() { await Task.yield() } }

      @Test func `a request is drawn, announced, and removed`() async throws {
        _ = Accessibility.takePosted()
        let activity = RequestActivity("Sending", delay: .zero, minimum: .zero)
        let presenter = ActivityPresenter(activity, over: view)
        #expect(view.subviews.contains(presenter.overlay))
        let call = Client(transport: stub).start(
          .get("https://example.com").activity(activity, blocksInput: true))
        await wait { presenter.overlay.content.alpha == 1 }
        #expect(presenter.overlay.isUserInteractionEnabled && presenter.overlay.accessibilityViewIsModal)
        #expect(presenter.overlay.spinner.isAnimating)
        #expect(presenter.overlay.label.text == "Sending" && presenter.overlay.bar.isHidden)
        #expect(Accessibility.takePosted() == ["Sending"])
        call.cancel()
        await wait { presenter.overlay.content.alpha == 0 }
        #expect(!presenter.overlay.isUserInteractionEnabled)
      }

      @Test
      func `touches are blocked from a request's start, before anything is shown, and otherwise pass`()
        async throws
      {
        let (frame, button) = (CGRect(x: 0, y: 0, width: 100, height: 100), UIView())
        (view.frame, button.frame) = (frame, frame)
        let activity = RequestActivity("Sending", delay: .seconds(1000))
        let presenter = ActivityPresenter(activity, over: view)
        view.addSubview(button)
        let touch = CGPoint(x: 50, y: 50)
        #expect(view.hitTest(touch, with: nil) === button)
        let client = Client(transport: stub)
        let free = client.start(.get("https://example.com").activity(activity))
        let call = client.start(.get("https://example.com").activity(activity, blocksInput: true))
        await wait { view.hitTest(touch, with: nil) === presenter.overlay }
        #expect(presenter.overlay.content.alpha == 0)
        call.cancel()
        await wait { view.hitTest(touch, with: nil) === button }
        free.cancel()
      }

      @Test func `a released presenter is removed from the screen`() async {
        var presenter: ActivityPresenter? = ActivityPresenter(RequestActivity(), over: view)
        weak let kept = presenter
        presenter = nil
        await wait { view.subviews.isEmpty }
        #expect(kept == nil)
      }
    }
  }
#endif
