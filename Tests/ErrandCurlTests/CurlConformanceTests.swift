import ErrandCurl
import ErrandTesting
import Testing

// One case after the other: some of them measure what they wait for, and some move tens of megabytes.
@Suite("The libcurl transport", .serialized)
struct CurlConformanceTests {
  /// What it cannot do, and why.
  private static let knownIssues: [String: Comment] = [
    "fails on gzip that ends too soon, though its length is right":
      "libcurl decompresses by itself, and does not look whether the compressed data came to its end"
  ]

  @Test("conforms", .timeLimit(.minutes(1)), arguments: TransportConformance.cases)
  func conforms(_ testCase: TransportConformance.Case) async throws {
    if let reason = Self.knownIssues[testCase.name] {
      await withKnownIssue(reason) { try await run(testCase) }
    } else {
      try await run(testCase)
    }
  }

  private func run(_ testCase: TransportConformance.Case) async throws {
    let outcome = try await TransportConformance { CurlTransport() }.run(testCase)
    if case .skipped(let reason) = outcome { print("skipped: \(testCase): \(reason)") }
  }
}
