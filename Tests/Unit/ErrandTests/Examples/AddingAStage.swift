// swift-format-ignore-file
import ErrandTesting
import Testing

@testable public import ErrandCore

/// Decides which requests are within a quota.
struct QuotaState {
  let count: Int
  let span: Duration
  private var begun: [Duration] = []

  init(count: Int, span: Duration) {
    self.count = count
    self.span = span
  }

  mutating func begin(at now: Duration) -> Bool {
    begun.removeAll { $0 <= now - span }
    guard begun.count < count else { return false }
    begun.append(now)
    return true
  }
}

/// Refuses requests beyond a client's quota.
final class QuotaStage: Stage {
  let usage: StageUsage
  private let state: Locked<QuotaState>
  private let timeline: Timeline

  init(_ quota: Quota?, _ timeline: Timeline) {
    usage = quota == nil ? .none : .everyRequest
    state = Locked(QuotaState(count: quota?.count ?? 0, span: quota?.span ?? .zero))
    self.timeline = timeline
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard state.withLock({ $0.begin(at: timeline.now()) }) else {
      throw RequestError(.quotaExceeded, message: "the client's quota is used up", reachedServer: false)
    }
    return try await next(request, context)
  }
}

/// A limit on the number of requests in a span of time.
public struct Quota: Sendable, Hashable {
  public var count: Int
  public var span: Duration
}

extension RequestError.Code {
  /// The client's quota is used up. The request was not sent.
  public static let quotaExceeded = Self(rawValue: "quotaExceeded")
}

private final class Last: Stage {
  let usage = StageUsage.everyRequest

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    Response(status: 200, url: request.url!)
  }
}

@Suite struct AddingAStage {
  @Test func `the stage of the article refuses what is beyond its quota`() async throws {
    let clock = VirtualClock()
    let request = Request.get("https://example.com")
    let context = CallContext(
      CallContext.Parts(
        destination: .memory, effectivePriority: EffectivePriority(.default, canChange: false), started: .zero))
    let stage = QuotaStage(Quota(count: 1, span: .seconds(10)), Timeline(clock))
    let next = NextStage([stage, Last()])
    _ = try await next(request, context)
    await #expect(throws: RequestError.self) { try await next(request, context) }
    await clock.advance(by: .seconds(10))
    _ = try await next(request, context)
  }
}
