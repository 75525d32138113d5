import ErrandCore
import Testing

@testable import ErrandConformance
@testable import ErrandTesting

@Suite struct ConformanceSuiteTests {
  private struct Odd: Error {}

  /// A suite with one case for each way in which a case can end.
  private struct Suite: HarnessedSuite {
    struct Harness: ConformanceHarness {
      let suite: Suite
      var evidence: String { "; it was Monday" }

      func checkAll() throws { try expect(suite.holdsAfterwards, "a rule is broken") }
      func end() { suite.ends.add() }
    }

    static let cases: [Case] = [
      Case("passes") { harness in try harness.equal(1, 1, "the number") },
      Case("is skipped") { _ in throw ConformanceSkip(reason: "no disk") },
      Case("fails") { harness in try harness.equal(1, 2, "the number") },
      Case("throws") { _ in throw Odd() },
    ]

    var holdsAfterwards = true
    let ends = Counter()

    func makeHarness() -> Harness { Harness(suite: self) }
  }

  private final class Counter: Sendable {
    private let value = Locked(0)
    func add() { value.withLock { $0 += 1 } }
    var count: Int { value.withLock { $0 } }
  }

  @Test func `a case without a fault has passed, or says why it cannot run`() async throws {
    let suite = Suite()
    #expect(try await suite.run(Suite.cases[0]) == .passed)
    #expect(try await suite.run(Suite.cases[1]) == .skipped(reason: "no disk"))
  }

  @Test func `a failure gives the actual result, the expected one, and the harness's observations`()
    async throws
  {
    let failure = await #expect(throws: ConformanceFailure.self) { try await Suite().run(Suite.cases[2]) }
    #expect(failure?.description == "the number: 1, expected 2; it was Monday")
    await #expect(throws: Odd.self) { try await Suite().run(Suite.cases[3]) }
  }

  @Test func `a case fails if a rule is broken after it`() async throws {
    let suite = Suite(holdsAfterwards: false)
    await #expect(throws: ConformanceFailure.self) { try await suite.run(Suite.cases[0]) }
    #expect(suite.ends.count == 1)
  }

  @Test func `the harness of a case ends, however the case ends`() async throws {
    let suite = Suite()
    for testCase in Suite.cases { _ = try? await suite.run(testCase) }
    #expect(suite.ends.count == Suite.cases.count)
  }
}
