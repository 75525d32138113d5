import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct LatestTests {
  private let repeats = Coalescer<Int>(Timeline(VirtualClock()))
  private let begun = Tally()
  private let gate = StubGate()

  /// Makes a call that ends at once when it is cancelled, like the client's.
  private func call(_ number: Int) async throws -> Int {
    let cancellation = CancellationToken()
    let place = repeats.begin(latest: "search", cancellation)
    defer { repeats.end(latest: place) }
    begun.add()
    try await cancellation.interrupting { [gate] in try await gate.pass() }
    try cancellation.finish()
    return number
  }

  @Test func `nine of ten keystrokes are superseded, and the last one gets a result`() async throws {
    var calls: [Task<Int, any Error>] = []
    for number in 1...10 {
      calls.append(Task { try await call(number) })
      await begun.reach(number)
    }
    gate.open()
    for task in calls.dropLast() {
      let error = await #expect(throws: RequestError.self) { try await task.value }
      #expect(error?.cancellation == .superseded)
    }
    #expect(try await calls.last?.value == 10)
    #expect(repeats.states.isEmpty)
  }

  @Test func `a result that has already arrived is not delivered if its call is superseded`() throws {
    let (older, newer) = (CancellationToken(), CancellationToken())
    let place = repeats.begin(latest: "search", older)
    let newerPlace = repeats.begin(latest: "search", newer)
    let error = #expect(throws: RequestError.self) { try older.finish() }
    #expect(error?.cancellation == .superseded)
    repeats.end(latest: place)
    #expect(!repeats.states.isEmpty)
    try newer.finish()
    repeats.end(latest: newerPlace)
    #expect(repeats.states.isEmpty)
  }

  @Test(arguments: 1...5)
  func `exactly one of many concurrent calls survives`(round: Int) async throws {
    let tasks = (1...500).map { number in Task { try await call(number) } }
    await begun.reach(tasks.count)
    gate.open()
    var survivors = 0
    for task in tasks {
      do {
        _ = try await task.value
        survivors += 1
      } catch { #expect((error as? RequestError)?.cancellation == .superseded) }
    }
    #expect(survivors == 1)
    #expect(repeats.states.isEmpty)
  }
}
