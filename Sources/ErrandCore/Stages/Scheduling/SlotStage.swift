/// Waits for a slot. A call has no slot between attempts, and then queues at the tail of its priority. It
/// also has no slot while an interceptor holds it, so that nothing that the interceptor waits for can wait
/// for this slot.
final class SlotStage: Stage {
  let usage = StageUsage.everyRequest
  private let slots: Slots
  private let timeline: Timeline
  private let isIntercepted: Bool

  /// - Parameter isIntercepted: True if the client has interceptors.
  init(_ slots: Slots, _ timeline: Timeline, isIntercepted: Bool) {
    self.slots = slots
    self.timeline = timeline
    self.isIntercepted = isIntercepted
  }

  @inline(__always)
  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    if isIntercepted { context.giveUpSlot() }
    let slot = try await slots.acquire(
      origin: request.address.originName, effectivePriority: context.effectivePriority,
      cancellation: context.cancellation, events: context.events)
    do {
      let response = try await next(request, context)
      if case .chunks(let stream) = response.body {
        hold(slot, for: stream, context)
      } else {
        slots.release(slot)
      }
      return response
    } catch {
      slots.release(slot)
      // A redirect that must be signed, or a refused `Expect`, continues the attempt outside of the slot.
      let continues = error is SignedRedirect || error is ExpectationFailed
      if let events = context.events, !continues { events.attemptFailed(error) }
      throw error
    }
  }

  private func hold(_ slot: Slot, for stream: ByteStream, _ context: CallContext) {
    guard isIntercepted else { return stream.onEnd { [slots] in slots.release(slot) } }
    let lease = SlotLease(slot, of: stream.cancellation, slots, timeline)
    stream.onEnd { lease.release() }
    context.hold(lease)
  }
}
