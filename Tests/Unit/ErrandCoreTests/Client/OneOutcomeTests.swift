import ErrandTesting
import Testing

@testable import ErrandCore

/// A call has one outcome, even if several sources cancel it while its response arrives.
@Suite struct OneOutcomeTests {
  private enum Kind: CaseIterable {
    case plain, shared, kept, refreshed, stream
  }

  private static func request(_ kind: Kind) -> Request {
    let request = Request.get("http://a.test/\(kind)").latest("key")
    return switch kind {
    case .plain, .stream: request
    case .shared: request.shared()
    case .kept: request.cached(as: "kept", .staleIfError).deadline(.seconds(60))
    case .refreshed: request.cached(as: "refreshed", .staleWhileRevalidate)
    }
  }

  @Test(arguments: [UInt64](1...8))
  func `a call has only its first outcome`(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let stage = Stage.configured { $0.limits.total = 2 }.responding { request in
      for _ in 0..<request.index % 7 { await Task.yield() }
      return .response(chunks: [ByteStream.largeChunk])
    }
    let reasons: [CancellationReason] = [.taskCancelled, .scopeEnded("page"), .superseded, .callCancelled]
    var tallies: [Tally] = []
    for _ in 0..<150 {
      guard let kind = Kind.allCases.randomElement(using: &random) else { continue }
      let request = Self.request(kind)
      let scope = RequestScope("page")
      let waits = (0..<4).map { _ in Int.random(in: 0..<12, using: &random) }
      let told = Tally()
      tallies.append(told)
      let call = stage.client.start(request, in: scope)
      _ = call.promise.listen { _ in told.add() }
      let task = Task {
        if case .stream = kind {
          _ = try await stage.client.stream(request.latest("stream"), in: scope).chunks.readAll()
        } else {
          _ = try await stage.client.send(request.latest("sent"), in: scope)
        }
      }
      async let one: Void = Self.after(waits[0]) { task.cancel() }
      async let two: Void = Self.after(waits[1]) { scope.end() }
      async let three: Void = Self.after(waits[2]) { _ = stage.client.start(request) }
      async let four: Void = Self.after(waits[3]) { call.cancel() }
      _ = await (one, two, three, four)
      let first = await call.result
      #expect(first.requestError.map { reasons.contains($0.cancellation ?? .other("none")) } ?? true)
      #expect(await call.result.requestError?.cancellation == first.requestError?.cancellation)
      do { try await task.value } catch {
        #expect(reasons.contains((error as? RequestError)?.cancellation ?? .other("none")))
      }
      #expect(scope.count == 0)
    }
    await stage.expectNothingLeft()
    for told in tallies {
      await told.reach(1)
      #expect(told.count == 1)
    }
    #expect(stage.client.pipeline.coalescing.states.isEmpty)
    #expect(stage.stub.mostInFlight <= 2)
  }

  private static func after(_ yields: Int, _ work: @Sendable () -> Void) async {
    for _ in 0..<yields { await Task.yield() }
    work()
  }
}
