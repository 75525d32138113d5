import Testing

@testable import ErrandReachability

@Suite struct NetlinkStateTests {
  private let up = NetlinkMessage.Content.link(NetworkLink(index: 2, isRunning: true))
  private let down = NetlinkMessage.Content.link(NetworkLink(index: 2, isRunning: false))
  private let standard = NetlinkMessage.Content.route(NetworkRoute(family: .ip4, interfaces: [2]))
  private let standardGone = NetlinkMessage.Content.routeGone(NetworkRoute(family: .ip4, interfaces: [2]))

  private func event(_ content: NetlinkMessage.Content) -> NetlinkMessage {
    NetlinkMessage(number: 0, isReply: false, content: content)
  }

  private func response(_ number: UInt32, _ content: NetlinkMessage.Content) -> NetlinkMessage {
    NetlinkMessage(number: number, isReply: true, content: content)
  }

  /// Replies to two requests, of which the first has the number `number`.
  private func response(
    _ state: inout NetlinkState, from number: UInt32, links: [NetlinkMessage.Content],
    routes: [NetlinkMessage.Content], at now: Duration
  ) -> [NetlinkState.Effect] {
    for link in links { #expect(state.hear(response(number, link), at: now) == []) }
    #expect(state.hear(response(number, .end(0)), at: now) == [.ask(.routes, number: number + 1)])
    for route in routes { #expect(state.hear(response(number + 1, route), at: now) == []) }
    return state.hear(response(number + 1, .end(0)), at: now)
  }

  /// Returns a state that has read the network at 0 s and found one.
  private func online() -> NetlinkState {
    var state = NetlinkState()
    #expect(state.look(at: .zero) == [.ask(.links, number: 1)])
    #expect(response(&state, from: 1, links: [up], routes: [standard], at: .zero) == [.tell(.online)])
    return state
  }

  @Test func `the state requests links, then routes, and reports the status`() {
    _ = online()
    var state = NetlinkState()
    _ = state.look(at: .zero)
    #expect(response(&state, from: 1, links: [down], routes: [standard], at: .zero) == [.tell(.offline)])
  }

  @Test func `the state waits for nothing when everything is reported, not even for a timer`() {
    var state = online()
    #expect(state.wake(at: .seconds(1)) == [])
    #expect(state.wake(at: .seconds(3600)) == [])
  }

  @Test func `an event makes the state request everything again`() {
    var state = online()
    #expect(state.hear(event(down), at: .seconds(1)) == [.ask(.links, number: 3)])
    // The kernel has dropped the route without an event.
    #expect(response(&state, from: 3, links: [down], routes: [], at: .seconds(1)) == [.tell(.offline)])
    #expect(state.hear(event(up), at: .seconds(2)) == [.ask(.links, number: 5)])
    #expect(response(&state, from: 5, links: [up], routes: [], at: .seconds(2)) == [.tell(.offline)])
    #expect(state.hear(event(standard), at: .seconds(3)) == [.ask(.links, number: 7)])
    #expect(response(&state, from: 7, links: [up], routes: [standard], at: .seconds(3)) == [.tell(.online)])
  }

  @Test func `the removal of a route causes a new request, because there may be others`() {
    var state = online()
    #expect(state.hear(event(standardGone), at: .seconds(1)) == [.ask(.links, number: 3)])
  }

  @Test func `an event that changes nothing causes no request`() {
    var state = online()
    let onlyLink = NetworkRoute(family: .ip6, destination: [0xFE, 0x80], prefixLength: 64, interfaces: [3])
    for content in [up, standard, .linkGone(7), .route(onlyLink), .routeGone(onlyLink), .other] {
      #expect(state.hear(event(content), at: .seconds(1)) == [])
    }
  }

  @Test func `an event between request and reply causes another request, after a rest`() {
    var state = online()
    #expect(state.hear(event(down), at: .seconds(1)) == [.ask(.links, number: 3)])
    #expect(state.hear(event(up), at: .seconds(1)) == [])
    #expect(
      response(&state, from: 3, links: [up], routes: [], at: .seconds(1))
        == [.tell(.offline), .wake(after: .milliseconds(50))])
    #expect(state.wake(at: .milliseconds(1050)) == [.ask(.links, number: 5)])
    #expect(
      response(&state, from: 5, links: [up], routes: [standard], at: .milliseconds(1050)) == [.tell(.online)])
  }

  @Test(arguments: [
    (Duration.milliseconds(1), Duration.milliseconds(50)), (.milliseconds(5), .milliseconds(50)),
    (.milliseconds(6), .milliseconds(60)), (.milliseconds(700), .seconds(7)), (.seconds(2), .seconds(10)),
    (.seconds(36_000), .seconds(10)),
  ])
  func `the state rests ten times as long as the request took, and collects events meanwhile`(
    length: Duration, rest: Duration
  ) {
    var state = online()
    #expect(state.hear(event(down), at: .seconds(1)) == [.ask(.links, number: 3)])
    let end = .seconds(1) + length
    #expect(response(&state, from: 3, links: [down], routes: [], at: end) == [.tell(.offline)])
    #expect(state.hear(event(up), at: end + rest / 2) == [.wake(after: rest / 2)])
    #expect(state.hear(event(standard), at: end + rest / 2) == [])
    #expect(state.wake(at: end + rest) == [.ask(.links, number: 5)])
  }

  @Test func `a timer may fire early or late`() {
    for time in [Duration.milliseconds(1049), .seconds(60)] {
      var state = online()
      _ = state.hear(event(down), at: .seconds(1))
      _ = state.hear(event(up), at: .seconds(1))
      _ = response(&state, from: 3, links: [up], routes: [], at: .seconds(1))
      #expect(state.wake(at: time) == [.ask(.links, number: 5)])
    }
  }

  @Test func `a loss of messages causes a request`() {
    var state = online()
    #expect(state.look(at: .seconds(1)) == [.ask(.links, number: 3)])
    #expect(state.look(at: .seconds(1)) == [])
    #expect(
      response(&state, from: 3, links: [up], routes: [standard], at: .seconds(1))
        == [.tell(.online), .wake(after: .milliseconds(50))])
  }

  @Test func `a reply that the kernel calls inconsistent is requested again`() {
    var state = NetlinkState()
    _ = state.look(at: .zero)
    var link = response(1, up)
    link.isInconsistent = true
    #expect(state.hear(link, at: .zero) == [])
    #expect(
      response(&state, from: 1, links: [], routes: [standard], at: .zero)
        == [.tell(.online), .wake(after: .milliseconds(50))])
  }

  @Test func `replies to other requests are ignored`() {
    var state = NetlinkState()
    _ = state.look(at: .zero)
    #expect(state.hear(response(9, up), at: .zero) == [])
    #expect(state.hear(response(9, .end(0)), at: .zero) == [])
    #expect(state.hear(response(9, .end(95)), at: .zero) == [])
    #expect(response(&state, from: 1, links: [], routes: [standard], at: .zero) == [.tell(.offline)])
  }

  @Test func `a busy kernel is asked again, and a refusal is final`() {
    var state = online()
    _ = state.hear(event(down), at: .seconds(1))
    #expect(state.hear(response(3, .end(16)), at: .seconds(1)) == [.wake(after: .milliseconds(50))])
    #expect(state.wake(at: .seconds(2)) == [.ask(.links, number: 4)])
    #expect(state.hear(response(4, .end(1)), at: .seconds(2)) == [.giveUp])
    #expect(state.hear(event(up), at: .seconds(3)) == [])
    #expect(state.look(at: .seconds(3)) == [])
    #expect(state.wake(at: .seconds(3)) == [])
  }

  @Test func `a brief failure of the socket causes a request, not a long rest`() {
    var state = online()
    #expect(state.fail(12, at: .seconds(1000)) == [.ask(.links, number: 3)])
    #expect(
      response(&state, from: 3, links: [up], routes: [standard], at: .seconds(1000)) == [.tell(.online)])
    #expect(state.fail(12, at: .seconds(1000)) == [.wake(after: .milliseconds(50))])
    #expect(state.fail(12, at: .seconds(1000)) == [])
  }
}
