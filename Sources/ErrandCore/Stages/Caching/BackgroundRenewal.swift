/// Renews cached responses, while their callers have the old ones already.
struct BackgroundRenewal: Sendable {
  let timeline: Timeline
  let inFlight: InFlight
  let deadlines: Deadlines
  let events: EventHolder

  /// Performs `work` beside a call: in its scope, with its priority and deadline, and with another number in events.
  /// - Parameter atEnd: Called when the work has ended, even if it could not begin.
  func begin(
    _ request: Request, beside context: CallContext,
    _ work: @escaping @Sendable (CallContext) async throws -> Response,
    atEnd: @escaping @Sendable () -> Void = {}
  ) {
    let renewing = context.forked { renewing in
      renewing.cancellation = CancellationToken()
      // The caller's stream or file gets the old response.
      renewing.destination = .memory
      renewing.effectivePriority = EffectivePriority(context.effectivePriority.current, canChange: false)
      renewing.progress = nil
      renewing.started = timeline.now()
      renewing.watch = nil
      renewing.events = events.source?.begin(request, for: .renewal)
      renewing.isShared = false
    }
    if context.effectivePriority.goesWithoutSlot { renewing.effectivePriority.goWithoutSlot() }
    do {
      try renewing.enter(inFlight, beside: context)
    } catch {
      renewing.end()
      renewing.events?.failed(error)
      atEnd()
      return
    }
    renewing.keepDeadline(in: deadlines)
    Task {
      defer {
        renewing.end()
        atEnd()
      }
      do {
        let response = try await work(renewing)
        renewing.events?.finished(response)
      } catch {
        renewing.events?.failed(renewing.cancellation.failure ?? error)
      }
    }
  }
}
