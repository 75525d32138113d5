import Dispatch
import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An authenticator of an application that waits for something before each attempt.
@Suite struct SlowAuthenticatorTests {
  private struct Slow: Authenticator {
    let wait: @Sendable () async throws -> Void

    func authenticate(_ request: Request, with credential: String) async throws -> Request {
      try await wait()
      return request.field("X-Token", credential)
    }

    func refresh(_ credential: String?, _ refresh: CredentialRefresh) -> String { "a" }
  }

  private func stage(_ wait: @escaping @Sendable () async throws -> Void) -> Stage {
    Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(CredentialSession(Slow(wait: wait), credential: "a"))
    }.responding { _ in .response() }
  }

  @Test func `a call whose deadline has passed does not wait for its authenticator`() async throws {
    let never = Promise<Void>()
    let stage = stage { _ = await never.settled() }
    let call = stage.client.start(.get("x").deadline(.seconds(1)))
    await stage.reachSleep(of: .seconds(1))
    await stage.clock.advance(by: .seconds(1))
    #expect(await call.result.requestError?.code == .deadlineExceeded)
    #expect(stage.stub.requests.isEmpty)
    never.settle(.success(()))
  }

  @Test func `a cancelled call does not wait for its authenticator`() async throws {
    let (never, entered) = (Promise<Void>(), Promise<Void>())
    let stage = stage {
      entered.settle(.success(()))
      _ = await never.settled()
    }
    let call = stage.client.start(.get("x"))
    _ = await entered.settled()
    call.cancel()
    #expect(await call.result.requestError?.code == .cancelled)
    never.settle(.success(()))
  }

  @Test func `an authenticator that sends through its own client fails with an error that explains it`()
    async throws
  {
    let client = Locked<Client?>(nil)
    let stage = stage { _ = try await client.withLock { $0 }?.send(.get("other")) }
    client.withLock { $0 = stage.client }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("authenticators") == true)
    #expect(stage.stub.requests.isEmpty)
    client.withLock { $0 = nil }
  }

  @Test func `an authenticator that waits for the request that it delays finally fails it`() async throws {
    let client = Locked<Client?>(nil)
    let stage = stage {
      // In an unstructured task, which is not linked to the call.
      let client = client.withLock { $0 }
      try await Task.detached { _ = try await client?.send(.get("x").shared()) }.value
    }
    client.withLock { $0 = stage.client }
    let call = stage.client.start(.get("x").shared())
    let outcome = Promise<Void>()
    Task {
      _ = await call.result
      outcome.settle(.success(()))
    }
    while outcome.outcome == nil {
      await stage.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(await call.result.requestError?.code == .deadlineExceeded)
    client.withLock { $0 = nil }
  }

  /// Checks, when it is asked for the expiry, whether another thread can use its session.
  private final class Asking: Authenticator {
    let session = Locked<CredentialSession<Asking>?>(nil)
    let answers = Locked<[Bool]>([])

    func authenticate(_ request: Request, with credential: String) -> Request {
      request.field("X-Token", credential)
    }

    func isExpired(_ credential: String, at date: Date) -> Bool {
      let session = session.withLock { $0 }
      let answered = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        _ = session?.identity
        answered.signal()
      }
      let isFree = answered.wait(timeout: .now() + .seconds(5)) == .success
      answers.withLock { $0.append(isFree) }
      return false
    }

    func refresh(_ credential: String?, _ refresh: CredentialRefresh) -> String { "b" }
  }

  @Test func `an authenticator is asked for the expiry outside of the session's lock`() async throws {
    let asking = Asking()
    let session = CredentialSession(asking, credential: "a")
    asking.session.withLock { $0 = session }
    defer { asking.session.withLock { $0 = nil } }
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(session)
    }.responding { _ in .response() }
    try await stage.client.send(.get("x"))
    #expect(stage.stub.requests.first?.fields["X-Token"] == "a")
    #expect(asking.answers.withLock { $0 } == [true])
  }
}
