import ErrandCore
import Testing

@testable import ErrandUIKit

@Suite struct ActivityDrawingTests {
  private var drawing = ActivityDrawing()

  private mutating func draw(
    _ snapshot: RequestActivity.Snapshot, reducesMotion: Bool = false
  ) -> [ActivityDrawing.Effect] {
    drawing.draw(snapshot, reducesMotion: reducesMotion, announcing: "Loading")
  }

  @Test mutating func `touches are blocked before anything is shown`() {
    #expect(draw(.init(blocksInput: true, count: 1)) == [.block(true)])
    #expect(draw(.init(count: 0)) == [.block(false)])
  }

  @Test mutating func `a shown activity is announced once, and so is each new text`() {
    #expect(
      draw(.init(isShown: true, text: "Sending", count: 1))
        == [.text("Sending"), .progress(nil), .show(animated: true), .announce("Sending")])
    #expect(draw(.init(isShown: true, text: "Sending", fraction: 0.5, count: 1)) == [.progress(0.5)])
    #expect(
      draw(.init(isShown: true, text: "Done", fraction: 0.5, count: 1)) == [.text("Done"), .announce("Done")])
    #expect(draw(.init()) == [.hide(animated: true)])
    #expect(draw(.init(isShown: true, text: "Done", count: 1)).contains(.announce("Done")))
  }

  @Test mutating func `an activity without a text is announced by a default word`() {
    #expect(
      draw(.init(isShown: true, count: 1))
        == [.text(nil), .progress(nil), .show(animated: true), .announce("Loading")])
  }

  @Test mutating func `nothing fades with Reduce Motion`() {
    #expect(draw(.init(isShown: true, count: 1), reducesMotion: true).contains(.show(animated: false)))
    #expect(draw(.init(), reducesMotion: true) == [.hide(animated: false)])
  }
}
