extension Run {
  /// A call of this request, by the rules of this client.
  /// - Parameter canRise: True if somebody may find it more urgent later.
  convenience init(
    _ request: Request, _ pipeline: Pipeline, into destination: Destination, progress: ProgressHub?,
    canRise: Bool
  ) {
    self.init(
      destination: destination, progress: progress,
      urgency: Urgency(request.options.priority, canRise: canRise),
      started: pipeline.timeline.now(), deadline: request.options.deadline ?? pipeline.configuration.deadline)
  }

  /// A flight that several callers share. It has no deadline: each of them has its own.
  convenience init(_ flight: Flight, _ pipeline: Pipeline, _ watch: HoldWatch?) {
    self.init(
      signal: flight.signal, urgency: flight.urgency, destination: .memory, progress: flight.progress,
      started: pipeline.timeline.now(), deadline: nil, watch: watch)
  }
}
