extension CallContext {
  /// Creates the context of a call of this request, by the rules of this client.
  /// - Parameter canRise: True if the priority may be raised later.
  convenience init(
    _ request: Request, _ pipeline: Pipeline, into destination: Destination, progress: ProgressHub?,
    canRise: Bool
  ) {
    self.init(
      destination: destination, progress: progress,
      effectivePriority: EffectivePriority(request.options.priority, canRise: canRise),
      started: pipeline.timeline.now(), deadline: request.options.deadline ?? pipeline.configuration.deadline)
  }

  /// Creates the context of an in-flight request that several callers share. It has no deadline: each caller
  /// has its own.
  convenience init(_ inFlightRequest: InFlightRequest, _ pipeline: Pipeline, _ watch: HoldWatch?) {
    self.init(
      cancellation: inFlightRequest.cancellation, effectivePriority: inFlightRequest.effectivePriority,
      destination: .memory, progress: inFlightRequest.progress,
      started: pipeline.timeline.now(), deadline: nil, watch: watch)
  }
}
