#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Waits until the rate limits allow the attempt. It comes before signing and the slot, so that no signature grows old
/// and no slot is held while the attempt waits. Its tokens come back only from its beginning on (`HeldPass`), so that
/// attempts that wait for slots do not begin faster than the limits allow. A request that is signed again or redirected
/// within its attempt does not pass it again.
final class RateLimitStage: Stage {
  let usage: StageUsage
  private let limits: RateLimits
  private let limiter: RateLimiter
  private let identity: ClientIdentity
  private let secrets: Secrets
  private let date: @Sendable () -> Date

  init(
    _ limits: RateLimits, _ limiter: RateLimiter, identity: ClientIdentity, secrets: Secrets,
    date: @escaping @Sendable () -> Date
  ) {
    usage = limits.areNone ? .requests(with: .rateLimit) : .everyRequest
    self.limits = limits
    self.limiter = limiter
    self.identity = identity
    self.secrets = secrets
    self.date = date
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    let subject = subject(of: request, context)
    if subject.originLimit == nil, subject.groupLimit == nil, !limits.followsServer {
      return try await next(request, context)
    }
    let pass = try await limiter.acquire(
      subject, effectivePriority: context.effectivePriority, cancellation: context.cancellation,
      events: context.events)
    let held = HeldPass(pass, of: limiter)
    var request = request
    request.options.heldPass = OnlyItself(held)
    do {
      let response = try await next(request, context)
      guard held.hasBegun else {
        limiter.putBack(pass)
        return response
      }
      finish(pass, subject, response.fields, response.status, from: Address(response.url).originName)
      return response
    } catch {
      if !held.hasBegun {
        limiter.putBack(pass)
        throw error
      }
      let failure = error as? RequestError
      finish(pass, subject, failure?.fields, failure?.status, from: failure?.origin)
      throw error
    }
  }

  // Only the origin that sent the fields is slowed down, so a redirect cannot make another one wait.
  private func finish(
    _ pass: RatePass, _ subject: RateSubject, _ fields: HTTPFields?, _ status: HTTPStatus?,
    from speaker: @autoclosure () -> String?
  ) {
    var reports: [ServerQuota.Report] = []
    if limits.followsServer, let fields, let status {
      reports = ServerQuota.reports(fields, status, at: date())
    }
    let speaker = reports.isEmpty ? nil : speaker()
    limiter.finish(pass, reports, from: speaker == subject.origin ? nil : speaker)
  }

  private func subject(of request: Request, _ context: CallContext) -> RateSubject {
    let origin = request.address.originName
    var subject = RateSubject(origin: origin, originLimit: limits.limit(ofOrigin: origin))
    if let rule = request.options.rateRule {
      subject.group = .key(rule.key)
      subject.groupLimit = rule.limit
    } else if limits.followsServer {
      // As for ignored repeats, only known credentials tell users apart.
      subject.group = .identity(
        CachePartition.parts(
          of: request.fields, method: nil, url: nil, user: identity(context).text, secrets: secrets,
          where: secrets.covers))
    }
    return subject
  }
}
