import ErrandTesting
import Testing

@testable import ErrandReachability

@Suite(.enabled(if: RecordedNetlink.isReadable, "the recordings are from a little-endian machine"))
struct NetlinkReaderTests {
  private func contents(_ bytes: [UInt8]) -> [NetlinkMessage.Content] { NetlinkReader(bytes).map(\.content) }

  private func route(_ bytes: [UInt8]) throws -> NetworkRoute {
    guard case .route(let route) = try #require(contents(bytes).first) else {
      throw NoRoute()
    }
    return route
  }

  private struct NoRoute: Error {}

  @Test func `a reply is read message by message, with its number`() {
    let messages = Array(
      NetlinkReader(RecordedNetlink.loopbackUp + RecordedNetlink.nearUp + RecordedNetlink.endOfLinks))
    #expect(
      messages == [
        NetlinkMessage(number: 18, isReply: true, content: .link(NetworkLink(index: 1, isRunning: false))),
        NetlinkMessage(number: 18, isReply: true, content: .link(NetworkLink(index: 3, isRunning: true))),
        NetlinkMessage(number: 18, isReply: true, content: .end(0)),
      ])
  }

  @Test func `a link runs when it is up and has a carrier`() {
    #expect(
      contents(RecordedNetlink.nearWithoutCarrier) == [.link(NetworkLink(index: 3, isRunning: false))])
    #expect(contents(RecordedNetlink.nearDown) == [.link(NetworkLink(index: 3, isRunning: false))])
    #expect(contents(RecordedNetlink.nearGone) == [.linkGone(3)])
  }

  @Test func `a link that leaves a bridge is not removed`() {
    #expect(contents(RecordedNetlink.farFreed) == [.other])
  }

  @Test func `events are not mistaken for replies`() {
    #expect(NetlinkReader(RecordedNetlink.nearDown).map(\.isReply) == [false])
  }

  @Test func `routes are read with their interfaces`() throws {
    #expect(try route(RecordedNetlink.defaultRoute) == NetworkRoute(family: .ip4, interfaces: [3]))
    #expect(try route(RecordedNetlink.defaultRoute6) == NetworkRoute(family: .ip6, interfaces: [3]))
    #expect(
      try route(RecordedNetlink.routeOfTwoPaths)
        == NetworkRoute(
          family: .ip4, destination: [198, 51, 100, 0], prefixLength: 24, interfaces: [3, 3]))
    #expect(
      try route(RecordedNetlink.routeInOtherTable)
        == NetworkRoute(
          family: .ip4, table: 51820, destination: [10, 0, 0, 0], prefixLength: 8, interfaces: [3]))
    #expect(
      try route(RecordedNetlink.routeByNumber)
        == NetworkRoute(family: .ip4, destination: [172, 16, 0, 0], prefixLength: 12, interfaces: [3]))
    #expect(
      try route(RecordedNetlink.blackHole)
        == NetworkRoute(family: .ip4, type: 6, destination: [203, 0, 113, 0], prefixLength: 24))
    #expect(
      try route(RecordedNetlink.ownAddress)
        == NetworkRoute(
          family: .ip4, type: 2, table: 255, destination: [192, 0, 2, 1], prefixLength: 32, interfaces: [3]))
    #expect(
      try route(RecordedNetlink.linkRoute6)
        == NetworkRoute(
          family: .ip6, destination: [0xFE, 0x80] + [UInt8](repeating: 0, count: 14), prefixLength: 64,
          interfaces: [3]))
  }

  @Test func `a route over a dead interface has no interface`() {
    #expect(contents(RecordedNetlink.deadRoute6Gone) == [.routeGone(NetworkRoute(family: .ip6))])
  }

  @Test func `a next hop that is only a number counts as some interface`() throws {
    var bytes = RecordedNetlink.routeByNumber
    bytes.removeLast(16)
    bytes[0] -= 16
    #expect(try route(bytes).interfaces == [0])
  }

  @Test func `a refusal ends the reply, with its error`() {
    #expect(
      Array(NetlinkReader(RecordedNetlink.refusal)) == [
        NetlinkMessage(number: 5, isReply: true, content: .end(95))
      ])
  }

  @Test func `a reply that events have overtaken is marked as inconsistent`() {
    var bytes = RecordedNetlink.nearUp
    bytes[6] |= 0x10
    #expect(NetlinkReader(bytes).map(\.isInconsistent) == [true])
  }

  @Test func `a truncated buffer yields its complete messages`() {
    let whole = RecordedNetlink.nearUp + RecordedNetlink.defaultRoute
    for count in 0..<whole.count {
      let read = contents(Array(whole.prefix(count)))
      #expect(read == Array(contents(whole).prefix(count < RecordedNetlink.nearUp.count ? 0 : 1)))
    }
  }

  @Test func `a truncated message is still one message`() {
    for bytes in [RecordedNetlink.nearUp, RecordedNetlink.defaultRoute, RecordedNetlink.routeOfTwoPaths] {
      for count in 16..<bytes.count {
        var cut = Array(bytes.prefix(count))
        cut[0] = UInt8(count)
        #expect(contents(cut).count == 1)
      }
    }
    var headerOnly = Array(RecordedNetlink.nearUp.prefix(16))
    headerOnly[0] = 16
    #expect(contents(headerOnly) == [.other])
  }

  @Test func `a wrong length ends the reading`() {
    for length: UInt8 in 0..<16 {
      var bytes = RecordedNetlink.nearUp
      bytes[0] = length
      #expect(contents(bytes) == [])
    }
    var long = RecordedNetlink.nearUp
    long.replaceSubrange(0..<4, with: [255, 255, 255, 255])
    #expect(contents(long) == [])
  }

  @Test(arguments: 1...40)
  func `random bytes are read to their end`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let recorded = [
      RecordedNetlink.nearUp, RecordedNetlink.defaultRoute, RecordedNetlink.routeOfTwoPaths,
      RecordedNetlink.routeByNumber, RecordedNetlink.defaultRoute6, RecordedNetlink.refusal,
      RecordedNetlink.endOfRoutes,
    ]
    for _ in 0..<500 {
      var bytes = (0..<4).flatMap { _ in recorded.randomElement(using: &random) ?? [] }
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
      #expect(contents(bytes).count <= bytes.count / 16)
    }
  }

  @Test func `a request asks for everything and has its number`() {
    #expect(
      NetlinkRequest.links.bytes(number: 0x0102)
        == [32, 0, 0, 0, 18, 0, 1, 3, 2, 1, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16))
    #expect(
      NetlinkRequest.routes.bytes(number: 7)
        == [28, 0, 0, 0, 26, 0, 1, 3, 7, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 12))
  }
}
