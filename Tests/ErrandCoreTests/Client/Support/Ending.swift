import ErrandTesting

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A way in which a call can end.
enum Ending: String, CaseIterable, Sendable {
  case answered, retried, redirected, shared, replayed, ignored, superseded, kept, refreshed, keptOnFailure
  case refusedStatus, refusedByCheck, refusedRedirect, tooManyRedirects, tooLarge, lost, timedOut, thrown
  case missingUpload, invalid, interceptorThrows
  case read, dropped, streamRefused, streamUnsupported
  case downloaded, noFolder, downloadRefused
  case dependencyFailed, cancelled, scopeEnded, deadline

  struct Thrown: Error {}

  /// True if the caller does not wait for interceptors that still have the request. In all others nothing is left when the
  /// caller has its outcome.
  var overtakesInterceptors: Bool {
    [.refreshed, .superseded, .cancelled, .scopeEnded, .deadline].contains(self)
  }

  static func step(_ request: StubRequest) -> StubStep {
    switch Ending(rawValue: request.lastComponent) {
    case .retried: request.fields.contains("X-First") ? .answer(status: 503) : .answer()
    case .redirected: .answer(status: 302, fields: ["Location": "/answered"])
    case .refusedStatus, .downloadRefused, .streamRefused: .answer(status: 404, body: "no")
    case .refusedRedirect: .answer(status: 302, fields: ["Location": "ftp://a.test/"])
    case .tooManyRedirects: .answer(status: 302, fields: ["Location": "tooManyRedirects"])
    case .tooLarge: .answer(body: Data(count: 100))
    case .lost, .keptOnFailure: .fail(.connectionLost)
    case .timedOut, .superseded, .cancelled, .scopeEnded, .deadline: .stall
    case .thrown: .fail(with: Thrown())
    case .read, .dropped: .answer(chunks: [ByteStream.largeChunk, ByteStream.largeChunk])
    default: .answer(body: "answer")
    }
  }

  /// Makes a call end so. The clock is moved as far as it has to be.
  func reach(_ stage: Stage, _ scope: RequestScope, _ file: URL, _ change: (Request) -> Request) async {
    let client = stage.client
    let request = change(.get("http://a.test/\(rawValue)"))
    func send(_ request: Request) async { _ = try? await client.send(request, in: scope) }
    switch self {
    case .answered, .redirected, .refusedStatus, .refusedRedirect, .tooManyRedirects, .thrown,
      .interceptorThrows:
      await send(request)
    case .retried, .lost: await send(request.triesAtOnce(2))
    case .shared: await send(request.shared())
    case .replayed:
      await send(request.shared(within: .seconds(1)))
      await send(request.shared(within: .seconds(1)))
    case .ignored:
      await send(request.ignoringRepeats(within: .seconds(1)))
      await send(request.ignoringRepeats(within: .seconds(1)))
    case .kept:
      await send(request.kept(as: "kept"))
      await send(request.kept(as: "kept"))
    case .refreshed:
      await send(request.kept(as: "refreshed"))
      await send(request.kept(as: "refreshed", .thenRefreshed))
    case .keptOnFailure: await send(request.kept(as: "failing", .onFailure).deadline(.seconds(9)))
    case .refusedByCheck: await send(request.validate { _ in throw Thrown() })
    case .tooLarge: await send(request.memoryLimit(10))
    case .missingUpload: await send(request.body(.file(file.appending(path: "missing"))))
    case .invalid: await send(request.field("A B", "x"))
    case .read: _ = try? await client.stream(request, in: scope).chunks.readAll()
    case .dropped, .streamRefused: _ = try? await client.stream(request, in: scope)
    case .streamUnsupported: _ = try? await client.stream(request.shared(), in: scope)
    case .downloaded, .downloadRefused: _ = try? await client.download(request, to: file, in: scope)
    case .noFolder: _ = try? await client.download(request, to: file.appending(path: "none/x"), in: scope)
    case .dependencyFailed:
      let failing = client.start(change(.get("http://a.test/refusedStatus")), in: scope)
      await send(request.after(failing))
    case .timedOut, .superseded, .cancelled, .scopeEnded, .deadline:
      await stop(stage, scope, request.timeout(.seconds(5)).bestEffort())
    }
  }

  /// Ends one that stands still.
  private func stop(_ stage: Stage, _ scope: RequestScope, _ request: Request) async {
    let inner = RequestScope("inner", in: scope)
    let before = stage.stub.requests.count
    let call = stage.client.start(
      self == .deadline ? request.deadline(.seconds(1)) : request.latest("call"), in: inner)
    try? await stage.stub.waitForRequests(before + 1)
    switch self {
    case .timedOut:
      await stage.reachSleep(of: .seconds(5))
      stage.clock.advance(by: .seconds(5))
    case .deadline:
      await stage.reachSleep(of: .seconds(1))
      stage.clock.advance(by: .seconds(1))
    case .cancelled: call.cancel()
    case .scopeEnded: inner.end()
    default: _ = try? await stage.client.send(.get("http://a.test/answered").latest("call"), in: scope)
    }
    _ = await call.result
  }
}
