extension Client {
  /// The numbers of the client's calls so far; nil unless `ClientConfiguration.collectsMetrics` is set.
  public var metrics: ClientMetrics? {
    guard let events = pipeline.events.source else { return nil }
    return events.metrics?.metrics(at: events.timeline.now())
  }
}

extension EventSource {
  /// Returns nil for a client that nothing listens to: its calls have no events then.
  convenience init?(
    _ configuration: ClientConfiguration, _ timeline: Timeline, adding added: [any EventListener] = []
  ) {
    self.init(
      configuration.listeners + added, collectsMetrics: configuration.collectsMetrics,
      tracing: configuration.tracing,
      timeline,
      secrets: configuration.secrets, date: configuration.date)
  }
}
