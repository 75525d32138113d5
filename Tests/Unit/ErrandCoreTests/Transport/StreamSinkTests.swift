import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct StreamSinkTests {
  private func delivers(_ code: RequestError.Code) async throws -> Int {
    let sink = StreamSink()
    for _ in 0..<3 { _ = sink.write(Data([1])) }
    sink.end(.failure(RequestError(code, message: "it ended", reachedServer: true)))
    var count = 0
    do {
      while try await sink.next() != nil { count += 1 }
      Issue.record("it did not throw")
    } catch let error as RequestError {
      #expect(error.code == code)
    }
    return count
  }

  @Test func `received bytes are delivered before a failure, but not after a deadline or a cancellation`()
    async throws
  {
    #expect(try await delivers(.connectionLost) == 3)
    #expect(try await delivers(.deadlineExceeded) == 0)
    #expect(try await delivers(.cancelled) == 0)
  }
}
