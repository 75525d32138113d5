/// Decides the race of the two attempts of one request. Pure.
///
/// The first attempt whose response is accepted wins, and the other one is cancelled. A failure does not win, so the
/// call waits for the other attempt if that has been sent. A second attempt that has not been sent when the first one
/// fails is not sent: the retry policy decides how to continue.
struct HedgeRaceState: Sendable {
  enum Racer: Sendable, Hashable {
    case first
    case second

    var other: Racer { self == .first ? .second : .first }
  }

  enum Claim: Sendable, Hashable {
    /// The attempt wins now, so the other one must be cancelled.
    case won
    /// The attempt has won before.
    case hasWon
    case lost
  }

  private enum Second: Sendable {
    case none
    /// It passes the stages before it is sent.
    case begun
    case sent
    /// It has failed, or was not allowed.
    case over
  }

  private(set) var winner: Racer?
  private var hasFirstFailed = false
  private var second = Second.none
  /// The number of the timer that may begin the second attempt; nil while none may.
  private var armed: Int?
  private var lastArmed = 0

  /// True while the timer with this number may begin the second attempt.
  func isArmed(_ timer: Int) -> Bool { armed == timer }

  /// True if the second attempt, which has begun, is still of use.
  var mayGoOn: Bool { winner != .first && !hasFirstFailed }

  /// The first attempt is sent. Returns the number of the timer to set; nil if there can be no second attempt any more.
  mutating func arm() -> Int? {
    guard case .none = second, winner == nil, !hasFirstFailed else { return nil }
    lastArmed += 1
    armed = lastArmed
    return lastArmed
  }

  /// The first attempt has got a response, or has ended.
  mutating func disarm() { armed = nil }

  /// A timer has fired. Returns true if the second attempt begins.
  mutating func begin(_ timer: Int) -> Bool {
    guard armed == timer, case .none = second, winner == nil, !hasFirstFailed else { return false }
    armed = nil
    second = .begun
    return true
  }

  /// The second attempt is about to be sent. Returns false if it must not be.
  mutating func sendSecond() -> Bool {
    guard winner != .first else { return false }
    switch second {
    case .begun:
      guard !hasFirstFailed else { return false }
      second = .sent
      return true
    case .sent: return true
    case .none, .over: return false
    }
  }

  /// The response of an attempt is accepted.
  mutating func claim(_ racer: Racer) -> Claim {
    if let winner { return winner == racer ? .hasWon : .lost }
    winner = racer
    armed = nil
    return .won
  }

  /// The first attempt has failed. Returns true if the call waits for the second one.
  mutating func firstFails() -> Bool {
    armed = nil
    hasFirstFailed = true
    if let winner { return winner == .second }
    if case .sent = second { return true }
    return false
  }

  /// The second attempt has failed, or was not allowed.
  mutating func secondFails() { second = .over }
}
