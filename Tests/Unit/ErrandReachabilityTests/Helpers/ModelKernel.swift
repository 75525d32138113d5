import ErrandTesting

@testable import ErrandReachability

/// Models a kernel as a netlink socket shows it: the kernel replies piece by piece while things change,
/// reports some changes, drops a link's routes without a message, and loses some messages.
struct ModelKernel {
  enum Piece {
    case message(NetlinkMessage)
    case loss
  }

  private var links: [Int32: Bool] = [:]
  private var routes: Set<Int32> = []
  private var asked: (request: NetlinkRequest, number: UInt32, rest: [Int32])?
  private var queue: [Piece] = []

  static let interfaces: ClosedRange<Int32> = 2...5

  var isResponding: Bool { asked != nil }
  var isQuiet: Bool { asked == nil && queue.isEmpty }

  var status: NetworkStatus {
    links.contains { $0.value && routes.contains($0.key) } ? .online : .offline
  }

  mutating func ask(_ request: NetlinkRequest, _ number: UInt32) {
    asked = (request, number, Array(Self.interfaces))
  }

  /// Adds a piece of the present state to the reply.
  mutating func goOnResponding() {
    guard var response = asked else { return }
    guard let next = response.rest.popLast() else {
      asked = nil
      return queue.append(.message(message(.end(0), response.number)))
    }
    asked = response
    switch response.request {
    case .links:
      guard let isRunning = links[next] else { return }
      let link = NetworkLink(index: next, isRunning: isRunning)
      queue.append(.message(message(.link(link), response.number)))
    case .routes:
      guard routes.contains(next) else { return }
      queue.append(.message(message(.route(route(next)), response.number)))
    }
  }

  /// Applies a random change.
  mutating func change(_ random: inout SeededRandom) {
    let index = Int32.random(in: Self.interfaces, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1:
      let isRunning = Bool.random(using: &random)
      links[index] = isRunning
      // Without the routes the link is down; with them it has only lost its carrier.
      if !isRunning, Bool.random(using: &random) { routes.remove(index) }
      tell(.link(NetworkLink(index: index, isRunning: isRunning)), &random)
    case 2:
      routes.remove(index)
      if links.removeValue(forKey: index) != nil { tell(.linkGone(index), &random) }
    case 3:
      guard links[index] != nil, routes.insert(index).inserted else { return }
      tell(.route(route(index)), &random)
    default:
      guard routes.remove(index) != nil else { return }
      tell(.routeGone(route(index)), &random)
    }
  }

  /// Returns the next piece that a reader of the socket gets.
  mutating func read() -> Piece? { queue.isEmpty ? nil : queue.removeFirst() }

  private mutating func tell(_ content: NetlinkMessage.Content, _ random: inout SeededRandom) {
    guard Int.random(in: 0..<8, using: &random) > 0 else { return queue.insert(.loss, at: 0) }
    queue.append(.message(NetlinkMessage(number: 0, isReply: false, content: content)))
  }

  private func message(_ content: NetlinkMessage.Content, _ number: UInt32) -> NetlinkMessage {
    NetlinkMessage(number: number, isReply: true, content: content)
  }

  private func route(_ index: Int32) -> NetworkRoute { NetworkRoute(family: .ip4, interfaces: [index]) }
}
