import ErrandTesting

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A way in which a call can end.
enum Ending: String, CaseIterable, Sendable {
  case responded, retried, redirected, shared, replayed, ignored, superseded, kept, refreshed, staleIfError
  case refusedStatus, refusedByCheck, refusedRedirect, tooManyRedirects, tooLarge, lost, timedOut, thrown
  case missingUpload, invalid, interceptorThrows
  case read, dropped, streamRefused, streamUnsupported
  case downloaded, noFolder, downloadRefused
  case dependencyFailed, cancelled, scopeEnded, deadline

  struct Thrown: Error {}

  /// True if the caller does not wait for interceptors that still retain the request. After all other endings
  /// nothing is left when the caller has its outcome.
  var overtakesInterceptors: Bool {
    [.refreshed, .superseded, .cancelled, .scopeEnded, .deadline].contains(self)
  }

  static func step(_ request: StubRequest) -> StubStep {
    switch Ending(rawValue: request.lastComponent) {
    case .retried: request.fields.contains("X-First") ? .response(status: 503) : .response()
    case .redirected: .response(status: 302, fields: ["Location": "/answered"])
    case .refusedStatus, .downloadRefused, .streamRefused: .response(status: 404, body: "no")
    case .refusedRedirect: .response(status: 302, fields: ["Location": "ftp://a.test/"])
    case .tooManyRedirects: .response(status: 302, fields: ["Location": "tooManyRedirects"])
    case .tooLarge: .response(body: Data(count: 100))
    case .lost, .staleIfError: .fail(.connectionLost)
    case .timedOut, .superseded, .cancelled, .scopeEnded, .deadline: .stall
    case .thrown: .fail(with: Thrown())
    case .read, .dropped: .response(chunks: [ByteStream.largeChunk, ByteStream.largeChunk])
    default: .response(body: "response")
    }
  }

  /// Makes a call end in this way, and advances the clock as needed.
  func reach(_ stage: Stage, _ scope: RequestScope, _ file: URL, _ change: (Request) -> Request) async {
    let client = stage.client
    let request = change(.get("http://a.test/\(rawValue)"))
    func send(_ request: Request) async { _ = try? await client.send(request, in: scope) }
    switch self {
    case .responded, .redirected, .refusedStatus, .refusedRedirect, .tooManyRedirects, .thrown,
      .interceptorThrows:
      await send(request)
    case .retried, .lost: await send(request.attemptsAtOnce(2))
    case .shared: await send(request.shared())
    case .replayed:
      await send(request.shared(within: .seconds(1)))
      await send(request.shared(within: .seconds(1)))
    case .ignored:
      await send(request.ignoringRepeats(within: .seconds(1)))
      await send(request.ignoringRepeats(within: .seconds(1)))
    case .kept:
      await send(request.cached(as: "kept"))
      await send(request.cached(as: "kept"))
    case .refreshed:
      await send(request.cached(as: "refreshed"))
      await send(request.cached(as: "refreshed", .staleWhileRevalidate))
    case .staleIfError: await send(request.cached(as: "failing", .staleIfError).deadline(.seconds(9)))
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

  /// Ends a call whose transfer is stalled.
  private func stop(_ stage: Stage, _ scope: RequestScope, _ request: Request) async {
    let inner = RequestScope("inner", in: scope)
    let before = stage.stub.requests.count
    let call = stage.client.start(
      self == .deadline ? request.deadline(.seconds(1)) : request.latest("call"), in: inner)
    try? await stage.stub.waitForRequests(before + 1)
    switch self {
    case .timedOut:
      await stage.reachSleep(of: .seconds(5))
      await stage.clock.advance(by: .seconds(5))
    case .deadline:
      await stage.reachSleep(of: .seconds(1))
      await stage.clock.advance(by: .seconds(1))
    case .cancelled: call.cancel()
    case .scopeEnded: inner.end()
    default: _ = try? await stage.client.send(.get("http://a.test/answered").latest("call"), in: scope)
    }
    _ = await call.result
  }
}
