#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Sends spans and measurements to a collector, in OpenTelemetry's protocol over HTTP (OTLP 1.x, JSON).
///
/// ```swift
/// let exporter = OTLPExporter(to: collectorURL, through: Client(transport: transport), service: "orders")
/// configuration.tracing = Tracing(exporter, meter: exporter, origins: [apiURL])
/// ```
///
/// Spans are sent in batches, a few seconds after the first; what is too much is dropped and counted, and no call waits
/// for any of it. The client that sends must have no `tracing` of its own.
public final class OTLPExporter: Tracer, Meter {
  /// The limits of an exporter.
  public struct Limits: Sendable, Hashable {
    /// The most spans that wait. Default: 2048.
    public var waiting = 2048
    /// The most spans in one request. Default: 512.
    public var batch = 512
    /// How long the first span of a batch waits for others. Default: 5 s.
    public var delay = Duration.seconds(5)
    /// The most sets of attributes that are measured for themselves. Default: 200.
    public var series = 200

    public init() {}
  }

  private let client: Client
  private let endpoint: URL
  private let resource: OTLPResource
  private let timeline: Timeline
  private let date: @Sendable () -> Date
  private let state: Locked<OTLPState>
  private let sending = Locked<Task<Void, Never>?>(nil)

  /// - Parameters:
  ///   - endpoint: The collector's base URL, as in `http://localhost:4318`; `/v1/traces` and `/v1/metrics` are added.
  ///   - client: Sends the batches; it should have few attempts, and no `tracing`.
  ///   - service: The name of this program: `service.name`.
  ///   - attributes: Further attributes of this program, as in `deployment.environment.name`.
  public init(
    to endpoint: URL, through client: Client, service: String, attributes: [String: TraceValue] = [:],
    limits: Limits = Limits()
  ) {
    self.client = client
    self.endpoint = endpoint
    timeline = client.pipeline.timeline
    date = client.pipeline.configuration.date
    resource = OTLPResource(service: service, attributes)
    state = Locked(OTLPState(limits, began: client.pipeline.configuration.date()))
  }

  /// The number of spans and measurements that were dropped, because there were too many or the collector was away.
  public var dropped: Int { state.withLock { $0.dropped } }

  public func end(_ span: TraceSpan) {
    guard span.context.isSampled else { return }
    if state.withLock({ $0.add(span) }) { send(after: state.withLock { $0.limits.delay }) }
  }

  public func record(duration: Double, _ attributes: [String: TraceValue]) {
    if state.withLock({ $0.add(duration, attributes) }) { send(after: state.withLock { $0.limits.delay }) }
  }

  /// Sends what waits, and returns when it was sent or dropped: at the end of a program.
  public func flush() async {
    await sending.withLock { $0 }?.value
    await sendAll()
  }

  private func send(after delay: Duration) {
    let task = Task { [weak self, timeline] in
      try? await timeline.sleep(delay)
      await self?.sendAll()
    }
    sending.withLock { $0 = task }
  }

  private func sendAll() async {
    while true {
      let now = date()
      guard let batch = state.withLock({ $0.take(at: now) }) else { return }
      if !batch.spans.isEmpty {
        let body = OTLPTraces(batch.spans, resource)
        await send(body, to: "v1/traces", counting: batch.spans.count)
      }
      if !batch.series.isEmpty {
        let body = OTLPMetrics(batch.series, resource, from: batch.began, to: now)
        // The next request has these measurements, too: they are sums from the beginning.
        await send(body, to: "v1/metrics", counting: 0)
      }
    }
  }

  private func send(_ body: some Encodable & Sendable, to path: String, counting count: Int) async {
    do {
      try await client.send(.post(endpoint.appending(path: path), json: body).inBackground())
    } catch {
      state.withLock { $0.dropped += count }
    }
  }
}

/// What waits for an exporter. Pure.
struct OTLPState: Sendable {
  struct Batch: Sendable {
    let spans: [TraceSpan]
    let series: [[String: TraceValue]: Histogram]
    let began: Date
  }

  let limits: OTLPExporter.Limits
  var dropped = 0
  private var spans: [TraceSpan] = []
  private var series: [[String: TraceValue]: Histogram] = [:]
  private var hasChanged = false
  private var isScheduled = false
  private let began: Date

  init(_ limits: OTLPExporter.Limits, began: Date) {
    self.limits = limits
    self.began = began
  }

  /// Adds a span. Returns true if a batch is to be sent after the delay.
  mutating func add(_ span: TraceSpan) -> Bool {
    guard spans.count < limits.waiting else {
      dropped += 1
      return false
    }
    spans.append(span)
    return schedule()
  }

  /// Adds a measurement. Returns true if a batch is to be sent after the delay.
  mutating func add(_ duration: Double, _ attributes: [String: TraceValue]) -> Bool {
    guard series[attributes] != nil || series.count < limits.series else {
      dropped += 1
      return false
    }
    series[attributes, default: Histogram()].add(.seconds(duration))
    hasChanged = true
    return schedule()
  }

  private mutating func schedule() -> Bool {
    defer { isScheduled = true }
    return !isScheduled
  }

  /// Returns what is to be sent in one go; nil if there is nothing.
  mutating func take(at now: Date) -> Batch? {
    guard !spans.isEmpty || hasChanged else {
      isScheduled = false
      return nil
    }
    let batch = Batch(
      spans: Array(spans.prefix(limits.batch)), series: hasChanged ? series : [:], began: began)
    spans.removeFirst(batch.spans.count)
    hasChanged = false
    return batch
  }
}
