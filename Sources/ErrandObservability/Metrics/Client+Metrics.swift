public import ErrandCore

extension ClientConfiguration {
  private static var metricsName: String { "metrics" }

  /// True if calls, attempts and times are counted for `Client.metrics`. Default: false.
  public var collectsMetrics: Bool {
    get { listenerMakers[Self.metricsName] != nil }
    set {
      listenerMakers[Self.metricsName] =
        newValue ? { @Sendable () -> any EventListener in MetricsCollector() } : nil
    }
  }
}

extension Client {
  /// The numbers of the client's calls so far; nil unless `ClientConfiguration.collectsMetrics` is set.
  public var metrics: ClientMetrics? { listener(MetricsCollector.self)?.metrics(at: timeline.now()) }
}
