import ErrandCore
import ErrandTesting

/// An interceptor with a deliberate defect.
final class Spoiling: Interceptor {
  private let defect: Defect
  private let clock: VirtualClock
  private let kept = Locked<[Request]>([])

  init(defect: Defect, clock: VirtualClock) {
    self.defect = defect
    self.clock = clock
  }

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    switch defect {
    case .neverResponds: await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    case .neverRests: while true { await Task.yield() }
    case .respondsByItself:
      guard let url = request.url else { break }
      return Response(status: 200, data: try await next(request).data + [46], url: url)
    case .sendsAgainLater:
      let response = try await next(request)
      Task { [clock] in
        try await clock.sleep(for: .seconds(1))
        _ = try await next(request)
      }
      return response
    case .sendsTwice:
      return try await next.twice(request)
    case .skipsEvents:
      guard let last = request.fields["Last-Event-ID"].flatMap({ Int($0) }) else { break }
      return try await next(request.field("Last-Event-ID", "\(last + 1)"))
    case .listensOn:
      guard request.fields["Accept"] == "text/event-stream" else { break }
      Task { [clock] in
        try await clock.sleep(for: .seconds(1))
        _ = try await next(request)
      }
    case .keepsRequests: kept.withLock { $0.append(request) }
    default: break
    }
    return try await next(request)
  }
}

/// A transport with a deliberate defect: it does not stop at once.
struct SlowToStop: Transport {
  let transport: any Transport
  let clock: VirtualClock

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    do {
      return try await transport.perform(exchange)
    } catch {
      await Task { [clock] in try? await clock.sleep(for: .seconds(1)) }.value
      throw error
    }
  }

  func shutdown() async { await transport.shutdown() }
}
