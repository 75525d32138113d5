import ErrandCore
import ErrandTesting
import Testing

@testable import ErrandCurl

@Suite struct StallWatchTests {
  private final class Element: StallWatched {
    var stallPlace: StallPlace?
    let number: Int
    let timeout: Int
    var due: Int

    init(_ number: Int, timeout: Int, due: Int) {
      self.number = number
      self.timeout = timeout
      self.due = due
    }
  }

  @Test(arguments: 0..<200)
  func `a watch returns each element once, when it is due and at most a 64th of its time-out later`(
    seed: Int
  ) {
    var random = SeededRandom(seed: UInt64(seed))
    var watch = StallWatch<Element>()
    var held: [Int: Element] = [:]
    var now = 0
    for step in 0..<400 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let timeout = [1, 40, 700, 10_000, 86_400_000].randomElement(using: &random)!
        let element = Element(step, timeout: timeout, due: now + Int.random(in: 0...timeout, using: &random))
        held[step] = element
        watch.insert(element, due: element.due, timeout: timeout)
      case 5..<7:
        guard let element = held.values.min(by: { $0.number < $1.number }) else { continue }
        held[element.number] = nil
        watch.remove(element)
        #expect(element.stallPlace == nil)
      default:
        now += Int.random(in: 0..<300, using: &random)
        for element in watch.takeDue(at: now) {
          #expect(element.due <= now, "seed \(seed): too early")
          #expect(held.removeValue(forKey: element.number) === element, "seed \(seed): returned twice")
          if Bool.random(using: &random) {
            element.due = now + element.timeout
            held[element.number] = element
            watch.insert(element, due: element.due, timeout: element.timeout)
          }
        }
        for element in held.values {
          #expect(element.due + element.timeout / 64 + 1 > now, "seed \(seed): too late")
        }
        let next = watch.next()
        #expect(next == nil ? held.isEmpty : next! > now, "seed \(seed)")
      }
    }
  }

  @Test func `a watch of 10,000 busy elements examines each once in its time-out`() {
    var random = SeededRandom(seed: 1)
    var watch = StallWatch<Element>()
    let timeout = 10_000
    for number in 0..<10_000 {
      let begin = Int.random(in: 0..<timeout, using: &random)
      watch.insert(
        Element(number, timeout: timeout, due: begin + timeout), due: begin + timeout, timeout: timeout)
    }
    var (looks, wakes) = (0, 0)
    let seconds = 60
    while let next = watch.next(), next <= (10 + seconds) * 1000 {
      wakes += 1
      for element in watch.takeDue(at: next) {
        looks += 1
        // The element moved a moment ago.
        watch.insert(element, due: next + timeout, timeout: timeout)
      }
    }
    #expect(looks <= 10_000 * (seconds / 10 + 1))
    #expect(wakes <= 128 * (seconds / 10 + 1))
  }

  private func next(moved: Int, now: Int, isSending: Bool = false) -> Int? {
    let epoch = Moment.now
    return StallCheck.next(
      after: epoch + .seconds(moved), .seconds(80), now: epoch + .seconds(now), isSending: isSending
    ).map { Int((($0 - epoch) / .seconds(1)).rounded()) }
  }

  @Test
  func `a transfer stalls when its time-out has passed since it last moved, not since the last examination`()
  {
    #expect(next(moved: 0, now: 0) == 80)
    #expect(next(moved: 50, now: 80) == 130)
    #expect(next(moved: 79, now: 80) == 159)
    #expect(next(moved: 80, now: 80) == 160)
    #expect(next(moved: 50, now: 129) == 130)
    #expect(next(moved: 50, now: 130) == nil)
    #expect(next(moved: 50, now: 200) == nil)
    let now = Moment.now
    #expect(StallCheck.next(after: now, .zero, now: now, isSending: false) == now, "It is examined once.")
  }

  @Test func `a sending transfer is examined eight times as often, and stalls no later`() {
    #expect(next(moved: 0, now: 0, isSending: true) == 10)
    #expect(next(moved: 0, now: 75, isSending: true) == 80)
    #expect(next(moved: 0, now: 80, isSending: true) == nil)
  }
}
