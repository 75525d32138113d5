import Testing

@Suite(.computesLong, .serialized, .timeLimit(.minutes(2))) struct PowerLossTests {
  /// Under the sanitizer everything takes ten times as long, and this has one thread.
  #if ERRAND_SANITIZER
    private static let courses: UInt64 = 50
  #else
    private static let courses: UInt64 = 1000
  #endif

  @Test func `when the power goes at any write, what was stored is there, and what was recorded stays`()
    async throws
  {
    var cuts = 0
    for seed in 1...Self.courses {
      var course = try PowerLossCourse(seed: seed)
      try await course.run()
      #expect(course.violations.isEmpty)
      cuts += course.cuts
    }
    #expect(cuts == 3 * Int(Self.courses))
  }

  @Test func `a disk that only says that something is safe is found out, so the test can fail`() async throws
  {
    var unlucky = 0
    for seed in 1...50 as ClosedRange<UInt64> {
      var course = try PowerLossCourse(seed: seed, lies: true)
      try await course.run()
      if !course.violations.isEmpty { unlucky += 1 }
    }
    #expect(unlucky > 10)
  }
}
