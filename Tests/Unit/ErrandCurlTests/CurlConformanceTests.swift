import ErrandCurl
import ErrandTesting
import Testing

@testable import ErrandConformance

// Serialized: some cases measure how long they wait, and some transfer tens of megabytes.
@Suite("The libcurl transport", .serialized)
struct CurlConformanceTests {
  @Test("conforms", .timeLimit(.minutes(1)), arguments: TransportConformance.cases)
  func conforms(_ testCase: TransportConformance.Case) async throws {
    let outcome = try await TransportConformance { CurlTransport() }.run(testCase)
    if case .skipped(let reason) = outcome { print("skipped: \(testCase): \(reason)") }
  }
}
