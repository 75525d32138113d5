import Testing

@testable import ErrandUIKit

@Suite struct AttachmentStateTests {
  @Test func `a page that was never in a container does not end`() {
    var state = AttachmentState()
    #expect(state.look(isAttached: false) == nil)
    #expect(state.look(isAttached: true) == nil)
  }

  @Test func `a page ends once when it has left, and is renewed when it returns`() {
    var state = AttachmentState()
    _ = state.look(isAttached: true)
    #expect(state.look(isAttached: true) == nil)
    #expect(state.look(isAttached: false) == .end)
    #expect(state.look(isAttached: false) == nil)
    #expect(state.look(isAttached: true) == .renew)
    #expect(state.look(isAttached: false) == .end)
  }

  @Test func `a page that ended with its container is renewed in another one`() {
    var state = AttachmentState()
    state.leave()
    #expect(state.look(isAttached: false) == nil)
    #expect(state.look(isAttached: true) == .renew)
  }
}
