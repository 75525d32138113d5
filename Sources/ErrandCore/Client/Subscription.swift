/// A call that sends other calls one after the other, for as long as its caller wants, such as an event stream. It has
/// the deadline and the activity of its request, belongs to a scope, and is superseded by newer requests; the others do
/// not. It takes no slot of the client's requests, but has a limit of its own.
package final class Subscription: Sendable {
  private let pipeline: Pipeline
  private let context: CallContext
  private let scope: RequestScope?
  private let slot: Locked<Slot>

  fileprivate init(_ pipeline: Pipeline, _ context: CallContext, _ scope: RequestScope?, _ slot: Slot) {
    self.pipeline = pipeline
    self.context = context
    self.scope = scope
    self.slot = Locked(slot)
  }

  deinit { end() }

  /// Cancels the present call, and prevents further ones.
  package var cancellation: CancellationToken { context.cancellation }

  /// A random number of the client, 0 ..< 1.
  package var random: Double {
    var generator = pipeline.configuration.random
    return Double.random(in: 0..<1, using: &generator)
  }

  /// Sends a request, and returns when its head has arrived.
  package func stream(_ request: Request) async throws -> Response {
    try context.cancellation.check()
    var request = request
    request.options.takesNoSlot = true
    request.options.activity = nil
    request.options.deadline = .longest
    request.options.priority = context.effectivePriority.current
    if request.options.repeats?.kind == .latest { request.options.repeats = nil }
    request = pipeline.completed(request)
    let call = pipeline.context(of: request, into: .stream, progress: nil, canChange: true, in: scope)
    try pipeline.enter(request, call, scope)
    let link = context.cancellation.onCancel(stopping: call.cancellation)
    call.atEnd { [cancellation] in cancellation.removeCancelHandler(link) }
    return try await pipeline.perform(request, call)
  }

  /// Ends the subscription. A call that it has sent goes on.
  package func end() {
    pipeline.subscriptionSlots.release(
      slot.withLock { slot in
        defer { slot = .none }
        return slot
      })
    context.end()
  }
}

extension Client {
  /// Begins a subscription. Waits while the request's origin has as many as `ConcurrencyLimits.eventStreams` allows.
  /// - Throws: `RequestError` (`cancelled`), if the client has been shut down or the scope has ended, or if it is
  ///   cancelled while it waits.
  package func subscribe(_ request: Request, in scope: RequestScope?) async throws -> Subscription {
    let request = pipeline.completed(request)
    let context = CallContext(
      CallContext.Parts(
        destination: .stream, effectivePriority: EffectivePriority(request.options.priority, canChange: true),
        started: pipeline.timeline.now(), deadline: request.options.deadline))
    try pipeline.enter(request, context, scope, among: pipeline.subscriptions)
    do {
      let slot = try await withTaskCancellationHandler {
        try await pipeline.subscriptionSlots.acquire(
          origin: request.address.originName, effectivePriority: context.effectivePriority,
          cancellation: context.cancellation)
      } onCancel: {
        context.cancellation.cancel(.cancelled(.taskCancelled))
      }
      return Subscription(pipeline, context, scope, slot)
    } catch {
      context.end()
      throw error
    }
  }
}
