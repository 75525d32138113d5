import ErrandTesting
import ErrandURLSession
import Testing

@Suite("The transport on URLSession conforms", .serialized)
struct URLSessionConformanceTests {
  @Test("as every transport does", arguments: TransportConformance.cases)
  func conforms(_ requirement: TransportConformance.Case) async throws {
    if let reason = KnownFaults.fatal[requirement.name] {
      // It would take the process with it, so it is not even tried.
      return withKnownIssue("\(reason)") { Issue.record("not run") }
    }
    guard let reason = KnownFaults.failing[requirement.name] else { return try await run(requirement) }
    await withKnownIssue("\(reason)", isIntermittent: true) { try await run(requirement) }
  }

  private struct NoEnd: Error {}

  /// What hangs must not hold up the others, and cannot be relied on to end when it is cancelled.
  private func run(_ requirement: TransportConformance.Case) async throws {
    let (ends, end) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
    let work = Task {
      do {
        try await TransportConformance { URLSessionTransport() }.run(requirement)
        end.yield(.success(()))
      } catch {
        end.yield(.failure(error))
      }
    }
    let limit = Task {
      try await Task.sleep(for: .seconds(25))
      end.yield(.failure(NoEnd()))
    }
    defer {
      work.cancel()
      limit.cancel()
    }
    for await result in ends { return try result.get() }
  }
}
