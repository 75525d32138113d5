import ErrandTesting
import Testing

@testable import ErrandCore

/// Requests whose repeats are ignored.
@Suite struct IgnoredRepeatTests {
  private let request = Request.post("http://a.test/like?token=hush").ignoringRepeats()

  @Test func `a repeat is ignored within its interval, whether the first succeeded or failed`() async throws {
    let stage = Stage { $0.index == 0 ? .response(status: 500) : .response() }
    #expect(await stage.client.start(request).result.requestError?.status == 500)
    await stage.clock.advance(by: .seconds(2))
    let error = await stage.client.start(request).result.requestError
    #expect(error?.code == .ignoredRepeat)
    #expect(error?.isCancellation == false)
    #expect(error?.description.contains("POST http://a.test/like?token=***") == true)
    await stage.clock.advance(by: .seconds(1))
    #expect(try await stage.client.send(request).status == 200)
    #expect(stage.stub.requests.count == 2)
  }

  @Test func `the retries of a request are not repeats`() async throws {
    let stage = Stage { $0.index < 2 ? .fail(.cannotConnect, reachedServer: false) : .response() }
    #expect(try await stage.client.send(request).timing.attempts == 3)
  }

  @Test func `a request that is cancelled before it is sent does not make a later one a repeat`() async throws
  {
    let stage = Stage()
    let called = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stage.client.send(request)
    }
    await #expect { try await called.value } throws: { $0.isCancellation }
    #expect(stage.stub.requests.isEmpty)
    #expect(try await stage.client.send(request).status == 200)
  }

  @Test func `a request whose dependency failed does not make a later one a repeat`() async throws {
    let stage = Stage { $0.path == "/login" ? .response(status: 403) : .response() }
    let login = stage.client.start(.post("http://a.test/login"))
    #expect(await stage.client.start(request.after(login)).result.requestError?.code == .dependencyFailed)
    #expect(try await stage.client.send(request).status == 200)
  }
}
