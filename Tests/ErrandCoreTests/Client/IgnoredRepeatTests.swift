import ErrandTesting
import Testing

@testable import ErrandCore

/// A request that is ignored when it is sent twice.
@Suite struct IgnoredRepeatTests {
  private let request = Request.post("http://a.test/like?token=hush").ignoringRepeats()

  @Test func `a repeat is ignored within its interval, whether the first succeeded or failed`() async throws {
    let stage = Stage { $0.index == 0 ? .answer(status: 500) : .answer() }
    #expect(await stage.client.start(request).result.requestError?.status == 500)
    stage.clock.advance(by: .seconds(2))
    let error = await stage.client.start(request).result.requestError
    #expect(error?.code == .ignoredRepeat)
    #expect(error?.isCancellation == false)
    #expect(error?.description.contains("POST http://a.test/like?token=***") == true)
    stage.clock.advance(by: .seconds(1))
    #expect(try await stage.client.send(request).status == 200)
    #expect(stage.stub.requests.count == 2)
  }

  @Test func `retries of the first are no repeats`() async throws {
    let stage = Stage { $0.index < 2 ? .fail(.cannotConnect, reachedServer: false) : .answer() }
    #expect(try await stage.client.send(request).timing.tries == 3)
  }

  @Test func `one that was called off before it was sent makes none after it a repeat`() async throws {
    let stage = Stage()
    let called = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stage.client.send(request)
    }
    await #expect { try await called.value } throws: { $0.isCancellation }
    #expect(stage.stub.requests.isEmpty)
    #expect(try await stage.client.send(request).status == 200)
  }

  @Test func `one whose dependency failed makes none after it a repeat`() async throws {
    let stage = Stage { $0.path == "/login" ? .answer(status: 403) : .answer() }
    let login = stage.client.start(.post("http://a.test/login"))
    #expect(await stage.client.start(request.after(login)).result.requestError?.code == .dependencyFailed)
    #expect(try await stage.client.send(request).status == 200)
  }
}
