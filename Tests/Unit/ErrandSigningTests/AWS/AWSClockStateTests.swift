import Foundation
import Testing

@testable import ErrandSigning

@Suite struct AWSClockStateTests {
  private static let host = "example.amazonaws.com"
  private static let now = 1_440_938_160.0

  /// A client whose clock may be wrong, and its server.
  private final class World {
    var state = AWSClockState()
    var server = now
    /// The local clock minus the server's.
    var wrong: Double

    init(wrong: Double = 0) { self.wrong = wrong }

    var local: Double { server + wrong }
    var signed: Double { local + state.offset(for: host) }
    /// The difference that the server tolerates.
    var isAccepted: Bool { abs(signed - server) <= 300 }

    func send(_ refusal: AWSRefusal? = nil, tells date: Bool = true) -> Bool {
      let reply = AWSClockState.Reply(
        refusal: refusal ?? (isAccepted ? .none : .time), server: date ? server : nil, local: local,
        signed: signed)
      return state.take(reply, from: host)
    }
  }

  @Test(arguments: [-86_400.0 * 365 * 40, -3600, -900, -301, 301, 900, 86_400])
  func `a wrong clock is learned from the first refusal`(wrong: Double) {
    let world = World(wrong: wrong)
    #expect(!world.isAccepted)
    #expect(world.send())
    #expect(world.isAccepted)
    #expect(world.state.offset(for: Self.host) == -wrong)
    #expect(!world.send())
    #expect(
      world.state.offset(for: Self.host) == -wrong, "An accepted signature must not reset the difference.")
  }

  @Test(arguments: [-300.0, -60, 0, 60, 300])
  func `a clock within the tolerance is not corrected`(wrong: Double) {
    let world = World(wrong: wrong)
    #expect(world.isAccepted)
    #expect(!world.send())
    #expect(world.state.offset(for: Self.host) == 0)
  }

  @Test func `a corrected clock is noticed with the next response`() {
    let world = World(wrong: 3600)
    #expect(world.send())
    world.wrong = 0
    #expect(!world.isAccepted)
    // The response says nothing about the signature, because it is of a public resource.
    #expect(!world.send(AWSRefusal.none))
    #expect(world.state.offset(for: Self.host) == 0)
    #expect(world.isAccepted)
  }

  @Test func `a corrected clock is noticed with a refusal`() {
    let world = World(wrong: 3600)
    #expect(world.send())
    world.wrong = 0
    #expect(world.send(), "The request is now signed with the right time.")
    #expect(world.state.hostCount == 0)
  }

  @Test func `a clock that becomes wrong by another difference is learned again`() {
    let world = World(wrong: 3600)
    #expect(world.send())
    world.wrong = -7200
    #expect(world.send())
    #expect(world.state.offset(for: Self.host) == 7200)
    #expect(world.isAccepted)
  }

  @Test func `a refusal of a signature with a learned difference discards the difference`() {
    let world = World(wrong: 3600)
    #expect(world.send())
    // The server's date equals that of the signature, so it is another clock that refuses.
    #expect(world.send(.time))
    #expect(world.state.hostCount == 0)
  }

  @Test func `a wrong key is not mistaken for a wrong clock`() {
    let world = World(wrong: 10)
    #expect(!world.send(.signature))
    #expect(!world.send(.time))
    #expect(world.state.hostCount == 0)
    let skewed = World(wrong: 3600)
    #expect(skewed.send(.signature), "The key and the clock may both be wrong.")
    #expect(!skewed.send(.signature))
  }

  @Test func `a refusal without a date changes nothing`() {
    let world = World(wrong: 3600)
    #expect(!world.send(.time, tells: false))
    #expect(world.state.hostCount == 0)
    #expect(world.send())
    #expect(
      world.send(.signature, tells: false), "Without the server's time, the local time is used next.")
    #expect(world.state.hostCount == 0)
  }

  @Test func `each host has a separate clock`() {
    let world = World(wrong: 3600)
    #expect(world.send())
    #expect(world.state.offset(for: "another.example") == 0)
    let mustSign = world.state.take(
      .init(refusal: .none, server: Self.now, local: Self.now, signed: Self.now), from: "another.example")
    #expect(!mustSign)
    #expect(world.state.offset(for: Self.host) == -3600)
  }

  @Test func `requests that were signed before the clock was learned are all signed again`() {
    let world = World(wrong: 3600)
    let early = AWSClockState.Reply(
      refusal: .time, server: world.server, local: world.local, signed: world.signed)
    for _ in 0..<50 {
      let mustSign = world.state.take(early, from: Self.host)
      #expect(mustSign)
    }
    #expect(world.state.offset(for: Self.host) == -3600)
    // A request that was signed with older knowledge does not undo newer knowledge.
    world.state = AWSClockState()
    _ = world.state.take(
      .init(refusal: .time, server: Self.now, local: Self.now + 9000, signed: Self.now + 9000),
      from: Self.host)
    _ = world.state.take(
      .init(refusal: .time, server: nil, local: Self.now, signed: Self.now + 3600), from: Self.host)
    #expect(world.state.offset(for: Self.host) == -9000)
  }

  @Test func `the number of hosts is limited, and the oldest are forgotten first`() {
    var state = AWSClockState()
    for number in 0..<(AWSClockState.mostHosts + 10) {
      _ = state.take(
        .init(refusal: .time, server: Self.now, local: 0, signed: 0), from: "host-\(number)")
    }
    #expect(state.hostCount == AWSClockState.mostHosts)
    #expect(state.offset(for: "host-9") == 0)
    #expect(state.offset(for: "host-10") == Self.now)
  }

  @Test func `a server may send any date and response`() {
    var state = AWSClockState()
    let numbers = [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e300, 0, Self.now]
    for refusal in [AWSRefusal.none, .signature, .time] {
      for server in numbers.map(Optional.some) + [nil] {
        for local in numbers {
          for signed in numbers {
            _ = state.take(
              .init(refusal: refusal, server: server, local: local, signed: signed), from: Self.host)
          }
        }
      }
    }
    #expect(state.hostCount <= 1)
  }

  @Test
  func
    `a client with any clock is accepted at its second attempt, however its clock changes between requests`()
  {
    var random = Seeded(7)
    let world = World()
    for _ in 0..<20_000 {
      world.server += Double(random.number(1...100_000))
      if random.number(0...3) == 0 {
        world.wrong = random.number(0...2) == 0 ? 0 : Double(random.number(-10_000_000...10_000_000))
      }
      if random.number(0...5) == 0 {
        // A response of another kind, which may have no date.
        _ = world.send(AWSRefusal.none, tells: random.number(0...1) == 0)
      }
      guard !world.isAccepted else {
        #expect(!world.send())
        continue
      }
      #expect(world.send())
      #expect(world.isAccepted)
    }
  }
}
