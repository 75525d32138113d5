import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

@Suite struct AuthenticationStateTests {
  private typealias Rules = AuthenticationState<String>

  private static let refused = RequestError(.refreshFailed, message: "no", reachedServer: false)
  private static let final = RequestError(.signedOut, message: "no more", reachedServer: false)

  private var rules = Rules("a")

  private static func shown(_ step: Rules.Step) -> String {
    switch step {
    case .use(let issued): "use \(issued.credential)\(issued.generation)"
    case .wait(let number): "wait \(number)"
    case .renew(let renewal): "renew \(renewal.number) of \(renewal.old?.credential ?? "none")"
    case .fail(let error): "\(error.code)"
    case .respond: "respond"
    }
  }

  private mutating func begin(_ second: Int = 0, isExpired: Bool = false) -> String {
    Self.shown(rules.begin(at: .seconds(second), expired: isExpired ? rules.generation : nil))
  }

  private mutating func stale(
    _ generation: Int, of resource: String = "r", sent: Int = 0, _ second: Int = 0
  ) -> String {
    Self.shown(rules.stale(generation, of: resource.hashValue, sent: .seconds(sent), at: .seconds(second)))
  }

  /// A request that is sent again with the renewed credential, which the server also finds stale.
  private mutating func staleAgain(_ generation: Int, of resource: String = "r", _ second: Int = 0) -> String
  {
    Self.shown(rules.staleAgain(generation, of: resource.hashValue, sent: .zero, at: .seconds(second)))
  }

  private mutating func refused(_ generation: Int, by resource: String = "r", _ second: Int = 0) {
    #expect(staleAgain(generation, of: resource, second) == "respond")
  }

  private mutating func ended(_ number: Int, _ outcome: Rules.Outcome, _ second: Int = 0) -> String {
    switch rules.ended(number, outcome, at: .seconds(second)) {
    case .success(let issued): "use \(issued.credential)\(issued.generation)"
    case .failure(let error): "\(error.code)"
    case nil: "too late"
    }
  }

  @Test mutating func `a credential that several requests find stale is renewed once`() {
    #expect(begin() == "use a0")
    #expect(stale(0) == "renew 1 of a")
    #expect(stale(0) == "wait 1")
    #expect(ended(1, .renewed("b")) == "use b1")
    // This request was sent with the old credential.
    #expect(stale(0) == "use b1")
    #expect(begin() == "use b1")
    #expect(stale(1) == "renew 2 of b")
  }

  @Test mutating func `a missing or expired credential is renewed before it is used`() {
    #expect(begin(isExpired: true) == "renew 1 of a")
    #expect(begin(isExpired: true) == "wait 1")
    // Unless a request that comes meanwhile can use the expired credential.
    #expect(begin() == "use a0")
    // A credential that was replaced while the old one was examined.
    #expect(ended(1, .renewed("b")) == "use b1")
    #expect(Self.shown(rules.begin(at: .zero, expired: 0)) == "use b1")
    rules = Rules(nil)
    #expect(begin() == "renew 1 of none")
    #expect(begin() == "wait 1")
    #expect(ended(1, .renewed("b")) == "use b1")
  }

  @Test mutating func `a failed renewal fails only the requests that were sent before it ended`() {
    #expect(stale(0, sent: 1, 2) == "renew 1 of a")
    #expect(ended(1, .failed(Self.refused), 5) == "refreshFailed")
    #expect(stale(0, sent: 4, 6) == "refreshFailed")
    #expect(begin(6) == "use a0")
    #expect(stale(0, sent: 6, 7) == "renew 2 of a")
  }

  @Test mutating func `at most five unsuccessful renewals start within thirty seconds`() {
    for number in 1...5 {
      let step = stale(number - 1, of: "\(number)", sent: number, number)
      #expect(step == "renew \(number) of \(number == 1 ? "a" : "b")")
      #expect(ended(number, .renewed("b"), number) == "use b\(number)")
      refused(number, by: "\(number)", number)
      // Other requests that waited for the same renewal do not count again.
      refused(number, by: "\(number) too", number)
    }
    #expect(stale(5, sent: 6, 30) == "excessiveRefresh")
    #expect(begin(30) == "use b5")
    guard case .fail(let error) = rules.stale(5, of: "r".hashValue, sent: .seconds(6), at: .seconds(30))
    else {
      Issue.record("A renewal begins.")
      return
    }
    #expect(
      error.message
        == "the server found 5 new credentials stale within 30 s: check the clock, and which credential the server "
        + "expects")
    #expect(stale(5, sent: 31, 31) == "renew 6 of b")
  }

  @Test mutating func `successful renewals do not count towards the limit, however many there are`() {
    for number in 1...50 {
      #expect(stale(number - 1, sent: number, 1).hasPrefix("renew \(number) of"))
      #expect(ended(number, .renewed("b"), 1) == "use b\(number)")
      rules.accepted(number, by: "r".hashValue)
    }
  }

  @Test mutating func `a resource that refuses a new credential gets no further ones until it accepts one`() {
    #expect(stale(0, of: "r") == "renew 1 of a")
    #expect(ended(1, .renewed("b")) == "use b1")
    refused(1, by: "r")
    for second in 0..<300 { #expect(stale(1, of: "r", sent: second, second) == "respond") }
    // This refusal says nothing about other resources.
    #expect(stale(1, of: "s", sent: 299, 299) == "renew 2 of b")
    #expect(ended(2, .renewed("c"), 299) == "use c2")
    #expect(stale(2, of: "r", sent: 299, 299) == "respond", "A newer credential changes nothing.")
    rules.accepted(2, by: "r".hashValue)
    #expect(stale(2, of: "r", sent: 299, 299) == "renew 3 of c")
  }

  @Test
  mutating func
    `a credential that a resource accepted, or that another process issued, counts as expired when refused`()
  {
    #expect(stale(0) == "renew 1 of a")
    #expect(ended(1, .renewed("b")) == "use b1")
    rules.accepted(1, by: "r".hashValue)
    #expect(staleAgain(1) == "renew 2 of b")
    #expect(ended(2, .found("c")) == "use c2")
    #expect(staleAgain(1) == "use c2", "It was sent with the previous credential.")
    #expect(staleAgain(2) == "renew 3 of c")
    #expect(ended(3, .renewed("d")) == "use d3")
    rules.accepted(3, by: "s".hashValue)
    #expect(
      staleAgain(3) == "respond",
      "Another resource has accepted it, and this resource has accepted the previous one.")
    #expect(stale(3, sent: 1, 1) == "respond")
  }

  @Test mutating func `a resource causes a renewal again after five minutes, and after a sign-in`() {
    #expect(stale(0, of: "r") == "renew 1 of a")
    #expect(ended(1, .renewed("b")) == "use b1")
    refused(1, by: "r")
    #expect(stale(1, of: "r", sent: 299, 299) == "respond")
    #expect(stale(1, of: "r", sent: 300, 300) == "renew 2 of b")
    #expect(ended(2, .renewed("c"), 300) == "use c2")
    refused(2, by: "r", 300)
    #expect(stale(2, of: "r", sent: 301, 301) == "respond")
    rules.signIn("d")
    #expect(stale(3, of: "r", sent: 301, 301) == "renew 3 of d")
  }

  @Test mutating func `at most a hundred resources are remembered, the newest ones`() {
    for number in 0..<101 { refused(0, by: "\(number)", number) }
    #expect(stale(0, of: "0", sent: 101, 101) == "renew 1 of a")
    #expect(ended(1, .renewed("b"), 101) == "use b1")
    for number in 1..<101 { #expect(stale(1, of: "\(number)", sent: 101, 101) == "respond") }
  }

  /// A crawler of pages that this user must not see costs five renewals, and makes no other request fail.
  @Test mutating func `a credential that other resources accept is not renewed for one that refuses it`() {
    for number in 1...5 {
      #expect(stale(number - 1, of: "\(number)").hasPrefix("renew"))
      #expect(ended(number, .renewed("b")) == "use b\(number)")
      refused(number, by: "\(number)")
    }
    #expect(stale(5, of: "new") == "excessiveRefresh")
    rules.accepted(5, by: "other".hashValue)
    #expect(stale(5, of: "new") == "respond")
    #expect(stale(5, of: "new", sent: 30, 30) == "renew 6 of b")
  }

  @Test mutating func `renewals by other processes do not count towards the limit`() {
    for number in 1...20 {
      #expect(stale(number - 1, sent: number, number) == "renew \(number) of \(number == 1 ? "a" : "b")")
      #expect(ended(number, .found("b"), number) == "use b\(number)")
    }
  }

  @Test mutating func `a signed-out identity sends nothing until it signs in`() {
    #expect(stale(0) == "renew 1 of a")
    #expect(ended(1, .final(Self.final)) == "signedOut")
    #expect(rules.isSignedOut)
    #expect(begin() == "signedOut")
    #expect(stale(0) == "signedOut")
    rules.signIn("c")
    #expect(begin() == "use c2")
    #expect(stale(0) == "use c2")
  }

  @Test(arguments: [true, false])
  mutating func `a renewal that ends after a sign-in or a sign-out has no effect`(signsIn: Bool) {
    for outcome in [Rules.Outcome.renewed("late"), .failed(Self.refused), .final(Self.final)] {
      rules = Rules("a")
      #expect(stale(0) == "renew 1 of a")
      if signsIn { rules.signIn("c") } else { rules.signOut(Self.final) }
      #expect(ended(1, outcome) == "too late")
      #expect(begin() == (signsIn ? "use c1" : "signedOut"))
    }
  }

  @Test(arguments: [UInt64](1...200))
  func `at most one renewal runs at a time, and each credential is used until it is replaced`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var rules = Rules(Bool.random(using: &random) ? "0" : nil)
    var (underWay, fenced): (Int?, Set<Int>) = (nil, [])
    var (now, newest, isOut) = (Duration.zero, 0, false)
    var sent: [(generation: Int, at: Duration)] = []
    func check(_ step: Rules.Step) {
      switch step {
      case .use(let issued):
        #expect(!isOut && issued.generation == rules.current?.generation)
        #expect(Int(issued.credential) == newest)
        sent.append((issued.generation, now))
      case .respond: #expect(!isOut)
      case .wait(let number): #expect(number == underWay)
      case .renew(let renewal):
        #expect(underWay == nil && !isOut)
        underWay = renewal.number
      case .fail: break
      }
    }
    for _ in 0..<200 {
      now += .milliseconds(Int.random(in: 0..<2000, using: &random))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3: check(rules.begin(at: now, expired: Bool.random(using: &random) ? rules.generation : nil))
      case 3..<7:
        guard let one = sent.randomElement(using: &random) else { continue }
        let resource = "\(Int.random(in: 0..<3, using: &random))"
        switch Int.random(in: 0..<4, using: &random) {
        case 0: rules.accepted(one.generation, by: resource.hashValue)
        case 1: check(rules.staleAgain(one.generation, of: resource.hashValue, sent: one.at, at: now))
        default: check(rules.stale(one.generation, of: resource.hashValue, sent: one.at, at: now))
        }
      case 7:
        newest += 1
        rules.signIn("\(newest)")
        if let number = underWay { fenced.insert(number) }
        (underWay, isOut) = (nil, false)
      case 8 where Int.random(in: 0..<4, using: &random) == 0:
        rules.signOut(Self.final)
        if let number = underWay { fenced.insert(number) }
        (underWay, isOut) = (nil, true)
      default:
        for number in fenced { #expect(rules.ended(number, .renewed("late"), at: now) == nil) }
        guard let number = underWay else { continue }
        underWay = nil
        if Bool.random(using: &random) {
          newest += 1
          let isExpired = Bool.random(using: &random)
          #expect(rules.ended(number, .renewed("\(newest)", isExpired: isExpired), at: now) != nil)
        } else {
          #expect(rules.ended(number, .failed(Self.refused), at: now) != nil)
        }
      }
    }
  }

  @Test
  mutating func `a credential that seems expired when it is issued is used, and the server decides`() {
    #expect(begin(1, isExpired: true) == "renew 1 of a")
    #expect(ended(1, .renewed("b", isExpired: true), 1) == "use b1")
    #expect(begin(20, isExpired: true) == "use b1")
    #expect(stale(1, sent: 20, 21) == "renew 2 of b")
    #expect(ended(2, .renewed("c"), 22) == "use c2")
    #expect(begin(23, isExpired: true) == "renew 3 of c", "This one was valid for a while.")
  }

  @Test mutating func `renewals of credentials with short lifetimes do not count towards the limit`() {
    for number in 1...50 {
      #expect(begin(0, isExpired: true).hasPrefix("renew \(number) of"))
      #expect(ended(number, .renewed("b")) == "use b\(number)")
      rules.accepted(number, by: "r".hashValue)
    }
  }

  @Test mutating func `an expired credential is used when too many renewals have not helped`() {
    for number in 1...5 {
      #expect(begin(number, isExpired: true).hasPrefix("renew \(number) of"))
      #expect(ended(number, .renewed("b"), number) == "use b\(number)")
      refused(number, number)
    }
    #expect(begin(20, isExpired: true) == "use b5")
    #expect(begin(31, isExpired: true) == "renew 6 of b", "The first renewal was 30 s ago.")
    #expect(begin(31, isExpired: true) == "wait 6")
  }

  @Test mutating func `when too many refreshes have failed, the error gives the reason of the last one`() {
    for number in 1...5 {
      #expect(begin(number, isExpired: true) == "renew \(number) of a")
      #expect(ended(number, .failed(Self.refused), number) == "refreshFailed")
    }
    guard case .fail(let error) = rules.begin(at: .seconds(20), expired: rules.generation) else {
      Issue.record("An expired credential that cannot be renewed is not sent.")
      return
    }
    #expect(error.code == .excessiveRefresh)
    #expect(
      error.message
        == "5 refreshes of the credential have not helped within 30 s, and the next one has to wait: no")
  }

  @Test mutating func `the error distinguishes failed refreshes from refused credentials`() {
    for number in 1...4 {
      #expect(begin(number, isExpired: true).hasPrefix("renew"))
      #expect(ended(number, .failed(Self.refused), number) == "refreshFailed")
    }
    #expect(begin(5, isExpired: true) == "renew 5 of a")
    #expect(ended(5, .renewed("b"), 5) == "use b1")
    refused(1, by: "r", 5)
    guard case .fail(let error) = rules.stale(1, of: "s".hashValue, sent: .seconds(6), at: .seconds(6)) else {
      Issue.record("A renewal begins.")
      return
    }
    #expect(
      error.message
        == "5 refreshes of the credential have not helped within 30 s: 4 failed, and the server found the other new "
        + "credentials stale")
  }
}
