import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.computesLong) struct HedgeRaceStateTests {
  /// A race whose second attempt has begun.
  private func begun() -> HedgeRaceState {
    var race = HedgeRaceState()
    let timer = race.arm()
    let begins = race.begin(timer ?? 0)
    #expect(begins)
    return race
  }

  @Test func `a response of the first attempt prevents the second one`() {
    var race = HedgeRaceState()
    let timer = race.arm() ?? 0
    race.disarm()
    let beginsAfterResponse = race.begin(timer)
    #expect(!beginsAfterResponse)
    let again = race.arm() ?? 0
    let beginsByOldTimer = race.begin(timer)
    #expect(!beginsByOldTimer && race.isArmed(again) && again != timer)
    let claim = race.claim(.first)
    #expect(claim == .won)
    let beginsAfterVictory = race.begin(again)
    #expect(!beginsAfterVictory)
    let isArmed = race.arm() != nil
    #expect(!isArmed)
  }

  @Test func `the first response that is accepted wins`() {
    for winner in [HedgeRaceState.Racer.first, .second] {
      var race = begun()
      let sends = race.sendSecond()
      #expect(sends)
      let claims = [race.claim(winner), race.claim(winner), race.claim(winner.other)]
      #expect(claims == [.won, .hasWon, .lost])
      let waits = race.firstFails()
      #expect(waits == (winner == .second))
    }
  }

  @Test func `a failure waits for the other attempt, if that was sent`() {
    var race = begun()
    var unsent = race
    let waitsForUnsent = unsent.firstFails()
    let sendsUnsent = unsent.sendSecond()
    #expect(!waitsForUnsent && !sendsUnsent && !unsent.mayGoOn)
    let sends = race.sendSecond()
    #expect(sends)
    var failed = race
    failed.secondFails()
    let waitsForFailed = failed.firstFails()
    #expect(!waitsForFailed)
    let waits = race.firstFails()
    // It follows a redirect.
    let sendsAgain = race.sendSecond()
    let claim = race.claim(.second)
    #expect(waits && sendsAgain && claim == .won)
  }

  @Test(arguments: 1...50)
  func `a race has one winner at most, and one second attempt`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<400 {
      var race = HedgeRaceState()
      var timers: [Int] = []
      var (begun, wins) = (0, 0)
      var (hasFirstEnded, isSecondSent, hasSecondFailed) = (false, false, false)
      for _ in 0..<20 {
        switch Int.random(in: 0..<7, using: &random) {
        case 0 where !hasFirstEnded:
          if let timer = race.arm() { timers.append(timer) }
        case 1: race.disarm()
        case 2:
          guard let timer = timers.randomElement(using: &random), race.begin(timer) else { break }
          begun += 1
          #expect(race.winner == nil && timer == timers.last && !hasFirstEnded)
        case 3 where begun == 1 && !hasSecondFailed:
          let before = (race.winner, isSecondSent)
          if race.sendSecond() {
            #expect(before.0 != .first && (before.1 || !hasFirstEnded))
            isSecondSent = true
          }
        case 4 where !hasFirstEnded:
          if race.claim(.first) == .won { wins += 1 }
        case 5 where isSecondSent && !hasSecondFailed:
          if race.claim(.second) == .won { wins += 1 }
        case 6 where !hasFirstEnded:
          hasFirstEnded = true
          let waits = race.firstFails()
          // It waits only for an attempt that will end.
          #expect(waits == (race.winner == .second || race.winner == nil && isSecondSent && !hasSecondFailed))
        case 6 where begun == 1 && race.winner != .second:
          hasSecondFailed = true
          race.secondFails()
        default: break
        }
        #expect(begun <= 1 && wins <= 1)
        #expect((race.winner != nil) == (wins == 1))
      }
    }
  }
}
