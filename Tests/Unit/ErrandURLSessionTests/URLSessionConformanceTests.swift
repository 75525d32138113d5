import ErrandTesting
import ErrandURLSession
import Testing

@testable import ErrandConformance

@Suite("The transport on URLSession conforms", .serialized)
struct URLSessionConformanceTests {
  @Test("like every transport", arguments: TransportConformance.cases)
  func conforms(_ requirement: TransportConformance.Case) async throws {
    if let reason = KnownFaults.fatal[requirement.name] {
      // The case would crash the process, so it is not run.
      return withKnownIssue("\(reason)") { Issue.record("not run") }
    }
    guard let reason = KnownFaults.failing[requirement.name] else {
      do {
        return try await run(requirement, within: .seconds(40))
      } catch  where KnownFaults.mayBeUnwatchedSocket(error) {
        withKnownIssue("\(KnownFaults.unwatchedSocket)") { throw error }
        // A stall that the transport causes itself happens each time.
        return try await run(requirement, within: .seconds(40))
      }
    }
    await withKnownIssue("\(reason)", isIntermittent: true) {
      // Many failing cases wait in vain, so they get a short limit.
      try await run(requirement, within: .seconds(1))
    }
  }

  private struct NoEnd: Error {}

  /// Runs a case, and fails after the limit, because a hanging case must not delay the others and may not end
  /// when it is cancelled.
  private func run(_ requirement: TransportConformance.Case, within limit: Duration) async throws {
    let (ends, end) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
    let work = Task {
      do {
        try await TransportConformance { URLSessionTransport() }.run(requirement)
        end.yield(.success(()))
      } catch {
        end.yield(.failure(error))
      }
    }
    // A limit for a transport that never ends a transfer.
    let watch = Task {
      try await Task.sleep(for: limit)
      end.yield(.failure(NoEnd()))
    }
    defer {
      work.cancel()
      watch.cancel()
    }
    for await result in ends { return try result.get() }
  }
}
