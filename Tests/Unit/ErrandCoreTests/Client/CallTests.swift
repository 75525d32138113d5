import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct CallTests {
  private func client(_ handler: @escaping StubTransport.Handler) -> (Client, StubTransport) {
    let stub = StubTransport(handler)
    return (Client(transport: stub), stub)
  }

  @Test func `a call runs without waiters, and any number of waiters get its response, even after its end`()
    async throws
  {
    let gate = StubGate()
    let (client, _) = client { _ in .response(body: "hello").behind(gate) }
    let call = client.start(.get("http://a.test/"))
    #expect(call.outcome == nil)
    async let first = call.value.text
    async let second = call.value.text
    gate.open()
    #expect(try await [first, second] == ["hello", "hello"])
    #expect(try call.outcome?.get().text == "hello")
    #expect(try await call.value.text == "hello")
    #expect(client.start(.get("http://a.test/")).id != call.id)
  }

  @Test func `cancelling a call ends it for all its waiters, and cancelling a waiter ends only that wait`()
    async throws
  {
    let (client, stub) = client { _ in .stall }
    let call = client.start(.get("http://a.test/"))
    let waiters = (0..<3).map { _ in Task { try await call.value } }
    try await stub.waitForRequests(1)
    waiters[0].cancel()
    await #expect { try await waiters[0].value } throws: { $0.isCancellation }
    #expect(stub.cancelled == 0)
    call.cancel()
    for waiter in waiters[1...] {
      await #expect { try await waiter.value } throws: {
        ($0 as? RequestError)?.cancellation == .callCancelled
      }
    }
    #expect(stub.cancelled == 1)
    #expect(stub.inFlight == 0)
  }

  @Test func `a call that depends on others is sent when the last of them has succeeded`() async throws {
    let (one, two) = (StubGate(), StubGate())
    let (client, stub) = client { request in
      switch request.url.path {
      case "/one": .response().behind(one)
      case "/two": .response().behind(two)
      default: .response()
      }
    }
    let calls = [client.start(.get("http://a.test/one")), client.start(.get("http://a.test/two"))]
    let last = client.start(.get("http://a.test/last").after(calls))
    try await stub.waitForRequests(2)
    one.open()
    _ = try await calls[0].value
    #expect(stub.requests.count == 2)
    two.open()
    #expect(try await last.value.status == 200)
    #expect(stub.requests.last?.url.path == "/last")
    #expect(try await client.send(.get("http://a.test/again").after(calls)).status == 200)
  }

  @Test func `a call whose dependency fails is not sent, fails at once, and names the failed call`()
    async throws
  {
    let gate = StubGate()
    let (client, stub) = client { request in
      request.url.path == "/slow" ? .response().behind(gate) : .response(status: 404)
    }
    let slow = client.start(.get("http://a.test/slow"))
    let bad = client.start(.get("http://a.test/bad?token=secret"))
    let last = client.start(.post("http://a.test/last").after(slow, bad))
    let lastOfAll = client.start(.post("http://a.test/most").after(last))
    for (call, named) in [(last, "GET http://a.test/bad?token=***"), (lastOfAll, "POST http://a.test/last")] {
      await #expect { try await call.value } throws: { error in
        guard let error = error as? RequestError else { return false }
        return error.code == .dependencyFailed && error.message.contains(named) && error.underlying != nil
          && !error.isCancellation && !error.message.contains("secret")
      }
    }
    gate.open()
    _ = try await slow.value
    #expect(stub.requests.allSatisfy { $0.method == .get })
  }

  @Test func `each call in a long chain of dependencies reports why the first one failed`() async throws {
    let (client, stub) = client { _ in .response(status: 404) }
    var call = client.start(.get("http://a.test/first"))
    for _ in 0..<200 { call = client.start(.get("http://a.test/next").after(call)) }
    let error = await call.result.requestError
    #expect(error?.code == .dependencyFailed && (error?.underlying as? RequestError)?.code == .rejected)
    #expect(error?.message.contains("404") == true && (error?.message.count ?? 0) < 300)
    #expect(stub.requests.count == 1)
  }

  @Test func `a call that waits for its dependencies can be cancelled, and is then not sent`() async throws {
    let (client, stub) = client { _ in .stall }
    let first = client.start(.get("http://a.test/first"))
    let second = client.start(.get("http://a.test/second").after(first))
    try await stub.waitForRequests(1)
    second.cancel(reason: .other("changed my mind"))
    await #expect { try await second.value } throws: {
      ($0 as? RequestError)?.cancellation == .other("changed my mind")
    }
    first.cancel()
    await #expect(throws: RequestError.self) { try await first.value }
    #expect(stub.requests.count == 1)
  }

  @Test func `a waiting call lends its priority to the call that it depends on`() async throws {
    let gate = StubGate()
    let (client, _) = client { _ in .response().behind(gate) }
    let first = client.start(.get("http://a.test/first").priority(.background))
    let second = client.start(.get("http://a.test/second").priority(.userInitiated).after(first))
    gate.open()
    _ = try await second.value
    #expect(first.priority == .userInitiated)
  }

  @Test(arguments: 1...20)
  func `a call in any dependency graph is sent if and only if all its dependencies succeeded`(seed: UInt64)
    async
  {
    var random = SeededRandom(seed: seed)
    let fails = (0..<20).map { _ in Int.random(in: 0..<6, using: &random) == 0 }
    let (client, stub) = client { request in
      .response(status: fails[Int(request.url.lastPathComponent) ?? 0] ? 404 : 200)
    }
    var calls: [Call] = []
    var succeeds: [Bool] = []
    for index in fails.indices {
      let before = (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
        calls.indices.randomElement(using: &random)
      }
      succeeds.append(!fails[index] && before.allSatisfy { succeeds[$0] })
      calls.append(client.start(.get("http://a.test/\(index)").after(before.map { calls[$0] })))
    }
    for (call, succeeds) in zip(calls, succeeds) {
      #expect(((try? await call.value) != nil) == succeeds)
    }
    let sent = Set(stub.requests.compactMap { Int($0.url.lastPathComponent) })
    for index in fails.indices {
      guard case .failure(let error as RequestError) = calls[index].outcome else {
        #expect(sent.contains(index))
        continue
      }
      #expect(sent.contains(index) == (error.code == .rejected))
    }
  }

  @Test func `a call's progress can be followed until the call ends`() async throws {
    let gate = StubGate()
    let (client, stub) = client { _ in .response(body: "0123456789").behind(gate) }
    let call = client.start(.get("http://a.test/"))
    try await stub.waitForRequests(1)
    var seen: [TransferProgress] = []
    for await progress in call.progress {
      seen.append(progress)
      gate.open()
    }
    #expect(seen.first?.attempt == 1)
    #expect(seen.last?.received == 10)
    #expect(seen.last?.receivedTotal == 10)
  }

  @Test func `a call fails as cancelled after its client was shut down`() async throws {
    let (client, stub) = client { _ in .response() }
    await client.shutdown()
    await #expect { try await client.start(.get("http://a.test/")).value } throws: {
      ($0 as? RequestError)?.cancellation == .clientShutDown
    }
    #expect(stub.requests.isEmpty)
  }
}
