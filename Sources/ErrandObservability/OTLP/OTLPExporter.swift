public import ErrandCore

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
/// Spans are sent in batches, a few seconds after the first span. Spans over a limit are dropped and counted.
/// No call waits for the exporter. The client that sends them must not have `tracing` itself.
public final class OTLPExporter: RequestTracer, RequestMeter {
  /// The limits of an exporter.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of spans that wait to be sent. Default: 2048.
    public var waiting = 2048
    /// The maximum number of spans in one request. Default: 512.
    public var batch = 512
    /// How long the first span of a batch waits for others. Default: 5 s.
    public var delay = Duration.seconds(5)
    /// The maximum number of sets of attributes that are measured separately. Measurements of further sets
    /// are dropped. Default: 200.
    public var series = 200

    /// Makes limits with the defaults.
    public init() {}
  }

  private struct Round: Sendable {
    /// Ends when the batch has waited for the delay, or when the task is cancelled.
    let delay: Task<Void, Never>
    let sending: Task<Void, Never>
  }

  private let client: Client
  private let endpoint: URL
  private let resource: OTLPResource
  private let timeline: Timeline
  private let date: @Sendable () -> Date
  private let state: Locked<OTLPState>
  private let round = Locked<Round?>(nil)

  /// Makes an exporter.
  /// - Parameters:
  ///   - endpoint: The collector's base URL, such as `http://localhost:4318`. `/v1/traces` and `/v1/metrics`
  ///     are added to it.
  ///   - client: The client that sends the batches, which must not have `tracing`. Its retry policy applies
  ///     to a busy collector, as the protocol requires.
  ///   - service: The name of this program (`service.name`).
  ///   - attributes: Further attributes of this program, such as `deployment.environment.name`. Default:
  ///     empty.
  ///   - limits: The limits of the exporter.
  public init(
    to endpoint: URL, through client: Client, service: String, attributes: [String: TraceValue] = [:],
    limits: Limits = Limits()
  ) {
    self.client = client
    self.endpoint = endpoint
    timeline = client.timeline
    date = client.date
    resource = OTLPResource(service: service, attributes)
    state = Locked(OTLPState(limits, began: client.date()))
  }

  /// The number of spans and measurements that were dropped, because there were too many, or because the
  /// collector was unavailable or rejected them.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// Adds a sampled span to the next batch.
  public func end(_ span: TraceSpan) {
    guard span.context.isSampled else { return }
    if state.withLock({ $0.add(span) }) { beginRound() }
  }

  /// Adds a measurement to the histogram of its attributes.
  /// - Parameter duration: The duration in seconds.
  public func record(duration: Double, _ attributes: [String: TraceValue]) {
    if state.withLock({ $0.add(duration, attributes) }) { beginRound() }
  }

  /// Sends the waiting spans and measurements, and returns when they were sent or dropped. Call it at the end
  /// of a program.
  public func flush() async {
    let round = round.withLock { $0 }
    round?.delay.cancel()
    await round?.sending.value
    // Bounded, because more spans may be added meanwhile.
    for _ in 0...state.withLock({ $0.mostBatches }) {
      let now = date()
      guard case .batch(let batch) = state.withLock({ $0.take(at: now, isFirst: true) }) else { return }
      await send(batch)
    }
  }

  private func beginRound() {
    let delay = Task { [timeline, length = state.withLock { $0.limits.delay }] in
      try? await timeline.sleep(length)
      return
    }
    let sending = Task { [weak self] in
      await delay.value
      await self?.sendRound()
    }
    round.withLock { $0 = Round(delay: delay, sending: sending) }
  }

  /// Sends the waiting spans. Spans that are added meanwhile wait for the next round, unless they fill a
  /// batch.
  private func sendRound() async {
    var isFirst = true
    while true {
      let now = date()
      switch state.withLock({ [isFirst] in $0.take(at: now, isFirst: isFirst) }) {
      case .batch(let batch): await send(batch)
      case .later: return beginRound()
      case .nothing: return
      }
      isFirst = false
    }
  }

  private func send(_ batch: OTLPState.Batch) async {
    if !batch.spans.isEmpty {
      await send(OTLPTraces(batch.spans, resource), to: "v1/traces", counting: batch.spans.count)
    }
    if !batch.series.isEmpty {
      let body = OTLPMetrics(batch.series, resource, from: batch.began, to: batch.time)
      // Failures are not counted: measurements are sums from the beginning, so the next request includes
      // them.
      await send(body, to: "v1/metrics", counting: 0)
    }
  }

  private func send(_ body: some Encodable & Sendable, to path: String, counting count: Int) async {
    // A collector may receive a batch twice. With the key, the client retries after any temporary failure.
    let request = Request.post(endpoint.appending(path: path), json: body)
      .idempotencyKey(UUID().uuidString).inBackground()
    do {
      let response = try await client.send(request)
      let rejected = OTLPReply.rejected(in: response)
      state.withLock { $0.dropped += min(rejected, count) }
    } catch {
      state.withLock { $0.dropped += count }
    }
  }
}
