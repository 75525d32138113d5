import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

/// Random histories of an app on a phone, with a store on a disk and a server on a socket.
@Suite struct BackgroundHistoryTests {
  /// The requests that the server has received, and whether faults happen.
  private final class World: Sendable {
    struct State {
      var random: SeededRandom
      var isTroubled = true
      var accepted: [String] = []
      var keys: [String: Set<String>] = [:]
      var arrivals: [String: Int] = [:]
      /// The number of attempts that the app gave back because it had no time left. They may have arrived,
      /// but do not count.
      var cuts = 0
    }

    let state: Locked<State>

    init(_ seed: UInt64) { state = Locked(State(random: SeededRandom(seed: seed))) }

    func chance(_ percent: Int) -> Bool {
      state.withLock { $0.isTroubled && Int.random(in: 0..<100, using: &$0.random) < percent }
    }

    func take(_ request: MockRequest) -> MockResponse {
      let fails = chance(20)
      return state.withLock { state in
        state.keys[request.text, default: []].insert(request.fields["Idempotency-Key"] ?? "none")
        state.arrivals[request.text, default: 0] += 1
        if !fails { state.accepted.append(request.text) }
        return .response(status: fails ? 503 : 200)
      }
    }
  }

  @Test(arguments: 0..<12)
  func `no request is lost, lanes are sent one by one, and the key stays the same`(seed: UInt64) async throws
  {
    let world = World(seed)
    let phone = try Phone(PhoneSession { world.chance(20) ? 2 : 1 })
    phone.server.on("/") { world.take($0) }
    var app = try await phone.launch()
    app.delivery.enterForeground()
    await app.delivery.enterBackground(within: .seconds(4))
    var receipts: [Receipt] = []
    for index in 0..<10 {
      let lane = index % 3 == 0 ? nil : "lane \(index % 3)"
      receipts.append(
        try await app.outbox.enqueue(.post(phone.server.url("/"), .text("\(index)")), lane: lane))
    }
    let ids = receipts.map(\.id)
    receipts = []
    for _ in 0..<25 { try await step(world, phone, &app) }
    world.state.withLock { $0.isTroubled = false }
    app.delivery.enterForeground()
    phone.session.go()
    try await app.outbox.waitUntilEmpty()
    let seen = world.state.withLock { $0 }
    #expect(Set(seen.accepted) == Set((0..<10).map(String.init)), "seed \(seed)")
    #expect(seen.keys.values.allSatisfy { $0.count == 1 }, "seed \(seed): \(seen.keys)")
    for lane in 1...2 {
      var first: [Int] = []
      for index in seen.accepted.compactMap(Int.init) where index % 3 == lane && !first.contains(index) {
        first.append(index)
      }
      #expect(first == first.sorted(), "seed \(seed)")
    }
    for (index, id) in ids.enumerated() {
      let entry = try #require(try await app.outbox.status(of: id))
      #expect(entry.state == .delivered)
      let arrivals = seen.arrivals["\(index)"] ?? 0
      #expect(
        arrivals <= entry.attempts + seen.cuts, "seed \(seed): request \(index) arrived \(arrivals) times")
    }
    await app.outbox.close()
  }

  /// Makes one event happen to the app.
  private func step(_ world: World, _ phone: Phone, _ app: inout Phone.Process) async throws {
    switch world.state.withLock({ Int.random(in: 0..<12, using: &$0.random) }) {
    case 0, 1, 2: await app.delivery.enterBackground(within: .seconds(4))
    case 3: app.delivery.enterForeground()
    case 4, 5:
      phone.session.drain()
      await app.delivery.handleEvents(within: .seconds(2))
    case 6: phone.session.hold()
    case 7: phone.session.go()
    case 8: phone.session.lose { _ in world.chance(30) }
    case 9, 10:
      await phone.kill(app)
      if world.chance(20) { phone.session.forceQuit() }
      app = try await phone.launch()
      if world.chance(50) { app.delivery.enterForeground() }
    default:
      world.state.withLock { $0.cuts += 1 }
      await app.delivery.enterBackground(within: .milliseconds(1))
    }
    // The threads of the store do a part of the work, so that the next action meets a state between two steps.
    try await Task.sleep(for: .milliseconds(5))
  }
}
